# Sourced by tests that need a program with 100 MB of debug information in 100 units. One unit is compiled and linked in again and again: the
# linker takes the first of equal symbols and keeps all code.

# make_many_units PROGRAM: makes it where it is not there yet, from the source in PROGRAM.src. The unit of main() is the last.
make_many_units() {
	local i
	if [ ! -e "$1" ] || [ ! -e "$1.src/main.c" ] || [ "$TOOLS/../cli/many_units.py" -nt "$1" ]; then
		mkdir -p "$1.src"
		python3 "$TOOLS/../cli/many_units.py" 300 >"$1.src/unit.c"
		gcc -g3 -O1 -c "$1.src/unit.c" -o unit.o
		printf 'int main(int argc, char **argv)\n{\n\tint sum = argc + argv[0][0];\n\n\treturn sum == 0;\n}\n' >"$1.src/main.c"
		for i in $(seq 100); do
			ln unit.o "unit$i.o"
		done
		gcc -g unit?*.o "$1.src/main.c" -Wl,-z,muldefs -o "$1.new"
		mv "$1.new" "$1"
	fi
}
