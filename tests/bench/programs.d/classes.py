# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs of the table: how each is built and run. Commands of `build` are lines of sh in the program's own directory, with the
sources in $SRC. In `run` and `server`, {dir} is that directory and {src} the sources."""
import dataclasses
import glob
import os
import shutil
import subprocess


@dataclasses.dataclass
class Program:
    group: str
    name: str
    run: list
    build: list = dataclasses.field(default_factory=list)
    needs: list = dataclasses.field(default_factory=list)  # commands on the PATH
    root: bool = False  # needs to be root
    machine: str = ""  # of this architecture only
    fp: bool = False  # built with frame pointers: --call-graph fp is measured too
    freq: int = 999
    dump: int = 0  # bytes of raw stack beside perf's; 0: the default
    expect: dict = None  # shares of samples with this function in their stacks: the names are right where these are found
    server: list = None  # started before; recorded by its pid while `run` is the client
    ready: str = ""  # the file that says that the server listens
    env: dict = dataclasses.field(default_factory=dict)

    @property
    def key(self):
        return f"{self.group}: {self.name}"


def cxx(name, compiler, flags, run=("35000",), after=(), **more):
    return Program("C++", name, ["{dir}/work", *run], [f"{compiler} {flags} -o work $SRC/work.cc -pthread", *after], [compiler], **more)


def cxx_programs():
    no_tables = "-fno-exceptions -fno-unwind-tables -fno-asynchronous-unwind-tables"
    slow, fast = ("7000",), ("35000",)
    yield cxx("gcc -O0", "g++", "-g -O0", slow, fp=True)
    yield cxx("gcc -O1", "g++", "-g -O1", fast)
    yield cxx("gcc -O2", "g++", "-g -O2", fast)
    yield cxx("gcc -O3", "g++", "-g -O3", fast)
    yield cxx("gcc -Os", "g++", "-g -Os", fast)
    yield cxx("gcc -O2 no -g", "g++", "-O2", fast)
    yield cxx("gcc frame pointers", "g++", "-g -O2 -fno-omit-frame-pointer", fast, fp=True)
    yield cxx("gcc -static", "g++", "-g -O2 -static", fast)
    yield cxx("gcc -static-pie", "g++", "-g -O2 -static-pie", fast)
    yield cxx("gcc -no-pie", "g++", "-g -O2 -no-pie", fast)
    yield cxx("gcc stripped", "g++", "-O2", fast, ["strip work"], )
    yield cxx("gcc static stripped", "g++", "-O2 -static", fast, ["strip work"])
    yield cxx("gcc -flto", "g++", "-g -O2 -flto", fast)
    yield cxx("gcc no async tables", "g++", "-g -O2 -fno-asynchronous-unwind-tables", fast)
    yield cxx("gcc .debug_frame only", "g++", f"-g -O2 {no_tables}", fast)
    yield cxx("gcc no tables", "g++", f"-O2 {no_tables}", fast)
    yield cxx("gcc no tables, frame pointers", "g++", f"-O2 -fno-omit-frame-pointer {no_tables}", fast, fp=True)
    yield cxx("gcc debug file apart", "g++", "-g -O2", fast, [
        "objcopy --only-keep-debug work work.debug", "strip work", "objcopy --add-gnu-debuglink=work.debug work"])
    yield cxx("gcc -gsplit-dwarf", "g++", "-g -gsplit-dwarf -O2", fast)
    yield cxx("gcc -gdwarf-4", "g++", "-gdwarf-4 -O2", fast)
    yield cxx("gcc -gdwarf-5", "g++", "-gdwarf-5 -O2", fast)
    yield cxx("gcc -gz", "g++", "-g -gz -O2", fast)
    yield cxx("gcc exceptions", "g++", "-g -O2", ("30000", "throw"))
    yield cxx("gcc threads", "g++", "-g -O2", ("45000", "threads"))
    yield cxx("gcc 32-bit", "g++", "-g -O2 -m32", ("20000",), machine="x86_64")
    yield cxx("clang -O0", "clang++", "-g -O0", slow, fp=True)
    yield cxx("clang -O2", "clang++", "-g -O2", fast)
    yield cxx("clang -O3", "clang++", "-g -O3", fast)
    yield cxx("clang -Os", "clang++", "-g -Os", fast)
    yield cxx("clang frame pointers", "clang++", "-g -O2 -fno-omit-frame-pointer", fast, fp=True)
    yield cxx("clang -static", "clang++", "-g -O2 -static", fast)
    yield cxx("clang -flto", "clang++", "-g -O2 -flto -fuse-ld=lld", fast)
    yield cxx("clang stripped", "clang++", "-O2", fast, ["strip work"])
    yield cxx("clang exceptions", "clang++", "-g -O2", ("30000", "throw"))


def rust_programs():
    def rust(name, flags, rounds="60000", **more):
        return Program("Rust", name, ["{dir}/work", rounds], [f"rustc {flags} -o work $SRC/work.rs"], ["rustc"], **more)

    yield rust("debug", "-g", "6000")
    yield rust("release", "-O")
    yield rust("release -g", "-O -g")
    yield rust("panic=abort", "-O -C panic=abort")
    yield rust("stripped", "-O -C strip=symbols")
    yield rust("frame pointers", "-O -C force-frame-pointers=yes", fp=True)


def go_programs():
    def go(name, flags, through="go", **more):
        cgo = int(through == "c")
        copy = f"cp $SRC/work.go $SRC/through_{through}.go ."
        return Program("Go", name, ["{dir}/work", "45000" if not cgo else "20000"],
                       [copy, f"GO111MODULE=off CGO_ENABLED={cgo} GOCACHE=$PWD/../.go-cache go build {flags} -o work ."], ["go"], fp=True, **more)

    yield go("plain", "")
    yield go("-s -w", "-ldflags='-s -w'")
    yield go("-buildmode=pie", "-buildmode=pie")
    yield go("cgo", "", "c")


def managed_programs():
    yield Program("Node", "plain", ["node", "{src}/work.js", "18000"], needs=["node"], fp=True)
    yield Program("Node", "--perf-basic-prof", ["node", "--perf-basic-prof", "{src}/work.js", "18000"], needs=["node"], fp=True)
    yield Program("Node", "--interpreted-frames-native-stack", [
        "node", "--perf-basic-prof", "--interpreted-frames-native-stack", "{src}/work.js", "18000"], needs=["node"], fp=True)
    java = ["javac -d . $SRC/Work.java"]
    yield Program("Java", "plain", ["java", "-cp", "{dir}", "Work", "20000"], java, ["javac"])
    yield Program("Java", "frame pointers, map", [
        "java", "-XX:+PreserveFramePointer", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "-cp", "{dir}", "Work", "20000"],
        java, ["javac"], fp=True)
    yield Program("Java", "-Xint", ["java", "-Xint", "-cp", "{dir}", "Work", "1200"], java, ["javac"])


def pythons():
    """(version, path) of the interpreters that pyenv has."""
    if not shutil.which("pyenv"):
        return
    names = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True).stdout.split()
    for version in names:
        prefix = subprocess.run(["pyenv", "prefix", version], capture_output=True, text=True).stdout.strip()
        if os.access(f"{prefix}/bin/python3", os.X_OK):
            yield version, f"{prefix}/bin/python3"


def python_programs():
    work = ["{src}/work.py", "1600"]
    yield Program("CPython", "of the system", ["/usr/bin/python3", *work], needs=["/usr/bin/python3"])
    for version, path in pythons():
        minor = int(version.split(".")[1])
        if minor in (8, 12, 13):
            yield Program("CPython", f"3.{minor}", [path, *work])
        if minor >= 12:
            yield Program("CPython", f"3.{minor} -X perf", [path, "-X", "perf", *work])
        if minor >= 13:
            yield Program("CPython", f"3.{minor} -X perf_jit", [path, "-X", "perf_jit", *work])


def large_programs():
    yield Program("large", "clang compiles C++", ["clang++", "-O2", "-c", "-o", "{dir}/out.o", "{src}/compiled.cc"], needs=["clang++"])
    yield Program("large", "gcc compiles C++", ["g++", "-O1", "-c", "-o", "{dir}/out.o", "{src}/compiled.cc"], needs=["g++"])
    yield Program("large", "rustc compiles", ["rustc", "-O", "-o", "{dir}/out", "{src}/work.rs"], needs=["rustc"])
    browser = ("chromium --headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
               "--no-first-run --disable-dev-shm-usage --user-data-dir={dir}/profile.$$ --dump-dom file://{src}/page.html >/dev/null 2>&1; "
               "rm -rf {dir}/profile.$$")
    yield Program("large", "chromium renders", ["sh", "-c", browser], needs=["chromium"], freq=499)
    yield Program("server", "postgres", ["{src}/postgres.sh", "run", "{dir}", "1500"], ["$SRC/postgres.sh init $PWD"], ["pgbench", "initdb"])
    socket = "{dir}/redis.sock"
    yield Program("server", "redis by pid", ["redis-benchmark", "-s", socket, "-n", "60000", "-t", "get,set,lpush,zadd", "-q"],
                  needs=["redis-server", "redis-benchmark"], ready=socket, server=[
                      "redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", "{dir}"])


def c(group, name, source, run, flags="-g -O2", compiler="gcc", **more):
    more.setdefault("needs", [compiler])
    return Program(group, name, ["{dir}/program", *run], [f"{compiler} {flags} -o program $SRC/{source} -pthread -ldl"], **more)


def stack_programs():
    yield c("musl", "dynamic", "recursion.c", ["40", "80000"], compiler="musl-gcc")
    yield c("musl", "static", "recursion.c", ["40", "80000"], "-g -O2 -static", "musl-gcc")
    yield c("musl", "threads", "recursion.c", ["40", "10000", "16"], compiler="musl-gcc")
    yield c("stack", "makecontext", "coroutine.c", ["18000"])
    yield Program("stack", "boost.context", ["{dir}/program", "36000"], ["g++ -g -O2 -o program $SRC/fiber.cc -lboost_context"], ["g++"])
    yield c("stack", "10,000 deep", "recursion.c", ["10000", "80000"], freq=199, dump=65528)
    yield c("stack", "30 short deep threads", "recursion.c", ["1000", "4000", "30"])
    yield c("stack", "signal handlers", "signals.c", ["28000"])
    yield c("stack", "signals, own stack", "signals.c", ["28000", "altstack"])
    yield c("stack", "epilogues", "epilogue.c", ["220000"])
    yield Program("stack", "PLT without table", ["{dir}/program", "350000000"], [
        "clang -O2 -shared -fPIC -DLIBRARY -o libtiny.so $SRC/plt.c",
        "clang -g -O2 -fno-omit-frame-pointer -fuse-ld=lld -o program $SRC/plt.c -L. -ltiny -Wl,-rpath,$PWD"], ["clang", "ld.lld"], fp=True,
        expect={"caller": 1.0})
    yield c("stack", "JIT, no frame pointers", "jit.c", ["110000"], machine="x86_64")
    yield c("stack", "JIT, frame pointers", "jit.c", ["110000", "fp"], "-g -O2 -fno-omit-frame-pointer", machine="x86_64")
    yield Program("stack", "300 × true", ["sh", "-c", "for i in $(seq 300); do /bin/true; done"], freq=9999)


HALF = {"alpha_hot": 0.375, "alpha_cool": 0.125, "beta_hot": 0.375, "beta_cool": 0.125}
ALPHA = {"alpha_hot": 0.75, "alpha_cool": 0.25}
BETA = {"beta_hot": 0.75, "beta_cool": 0.25}


def named(flags=""):
    return [f"gcc -O2 {flags} -DNAME=alpha -DPADDING=64 -o alpha $SRC/named.c", f"gcc -O2 {flags} -DNAME=beta -DPADDING=4096 -o beta $SRC/named.c"]


def libraries(flags=""):
    both = [f"gcc -O2 -shared -fPIC -Wl,-Bsymbolic {flags} -DLIBRARY -DNAME={n} -DPADDING={p} -o lib{n}.so $SRC/named.c"
            for n, p in (("alpha", 64), ("beta", 4096))]
    return [*both, "gcc -O2 -o user $SRC/user.c -ldl", "mkdir -p lib", "cp libalpha.so lib/libnamed.so"]


def file_programs():
    def sh(name, script, build, expect, **more):
        return Program("files", name, ["sh", "-c", "cd {dir} && " + script], build, ["gcc"], expect=expect, **more)

    rounds = "28000"
    without = "-Wl,--build-id=none"
    yield sh("deleted while it runs", f"cp alpha gone; ./gone {rounds} & sleep 0.3; rm gone; wait", named(), ALPHA)
    yield Program("files", "deletes itself", ["sh", "-c", "cd {dir} && cp work gone && exec ./gone 30000 unlink"],
                  ["g++ -g -O2 -o work $SRC/work.cc -pthread"], ["g++"], expect={"one_round": 1.0})
    yield Program("files", "memfd", ["{dir}/in_memory", "{dir}/alpha", rounds], [*named(), "gcc -O2 -o in_memory $SRC/in_memory.c"], ["gcc"],
                  expect=ALPHA)
    for title, flags in (("", ""), (", no build-id", without)):
        yield sh(f"rebuilt meanwhile{title}", f"cp alpha prog; ./prog {rounds}; cp beta new; mv new prog; ./prog {rounds}", named(flags), HALF)
        yield sh(f"overwritten meanwhile{title}", f"cp alpha prog; ./prog {rounds}; cp beta prog; ./prog {rounds}", named(flags), HALF)
        use = "$PWD/lib/libnamed.so"
        yield sh(f"two namespaces{title}", f"./user {use} alpha_work {rounds} & unshare -m sh -c 'mount --bind libbeta.so lib/libnamed.so && "
                 f"exec ./user \"{use}\" beta_work {rounds}'; wait", libraries(flags), HALF, root=True)
        copies = ["rm -rf root", "mkdir -p root$PWD/lib", "cp user root$PWD/", "cp libbeta.so root$PWD/lib/libnamed.so",
                  "for f in $(ldd user | grep -o '/[^ ]*'); do mkdir -p root${f%/*}; cp $f root$f; done"]
        yield sh(f"chroot{title}", f"exec chroot root $PWD/user {use} beta_work {rounds}", [*libraries(flags), *copies], BETA, root=True)


def programs():
    for part in (cxx_programs, rust_programs, go_programs, managed_programs, python_programs, large_programs, stack_programs, file_programs):
        yield from part()


def missing(program):
    """Why this cannot be run here, or None."""
    for tool in program.needs:
        if not shutil.which(tool) and not (tool == "initdb" and glob.glob("/usr/lib/postgresql/*/bin/initdb")):
            return f"no {tool}"
    if program.root and os.geteuid() != 0:
        return "needs root"
    if program.machine and program.machine != os.uname().machine:
        return f"for {program.machine}"
    return None
