# Entry point. Meson builds; `make` installs what Meson needs and runs it.
#
#   make            install what is missing, configure, build: build/assay
#   make demo       profile a program with known truth, show the report, draw a flame graph
#   make gallery    the program of the README's pictures: build/tests/workloads/gallery
#   make test       install what the tests need, build every way, run them all
#   make test-kernel-debug   probes at lines and variables of a guest's kernel; downloads its debug package (280 MB)
#   make bench      ours, perf's and the ratio, from one run
#   make bench-programs   stacks of many kinds of programs, beside perf's
#   make install    PREFIX=/usr/local DESTDIR=
#   make install-perf-symlink   … and answer to the name `perf` too
#   make dist       source archive and portable, statically linked program: build/dist
#   make deb        Debian package: build/dist
#   make lint       clang-tidy, shellcheck, types of the JavaScript
#   make format     clang-format (check-format: only say what differs)
#   make clean

BUILD  ?= build
PREFIX ?= /usr/local
NINJA  := ninja
MESON  := meson
ARM64  := build-arm64
ASAN   := build-asan

# The C++ compiler of the workloads: clang, which BPF programs need, provides c++ as well, until g++ is installed for the tests.
FIND_CXX := $(if $(filter-out default undefined,$(origin CXX)),echo $(CXX),command -v g++ || command -v clang++ || echo c++)

# Sources are found, not listed: a new or a removed file asks for a new configuration.
SOURCES := $(sort $(wildcard src/*/*.c tests/unit/*.c tests/fuzz/*.c tests/workloads/*.c tests/workloads/*.cc man/*.scd web/*))

# $(call configure,DIR,SETUP OPTIONS): first time, when the files or the options have changed, or from the start when there is another compiler
define configure
@mkdir -p $(1); printf '%s\n' '$(SOURCES)' '$(2)' > $(1)/.wanted.tmp; cxx=$$($(FIND_CXX)); \
[ ! -f $(1)/build.ninja ] || [ "$$cxx" = "$$(cat $(1)/.cxx 2>/dev/null)" ] || rm -rf $(1)/meson-private $(1)/meson-info $(1)/build.ninja; \
echo "$$cxx" > $(1)/.cxx; \
if [ ! -f $(1)/build.ninja ]; then \
	CXX=$$cxx $(MESON) setup $(1) $(2) > $(1)/.setup.log 2>&1 || { cat $(1)/.setup.log; exit 1; }; \
elif ! cmp -s $(1)/.wanted.tmp $(1)/.wanted; then \
	$(MESON) setup --reconfigure $(1) $(2) > $(1)/.setup.log 2>&1 || { cat $(1)/.setup.log; exit 1; }; \
fi; mv $(1)/.wanted.tmp $(1)/.wanted
endef

# Once configured for the tests, the directory stays so: switching back would rebuild everything.
PLAIN_OPTIONS := $(if $(wildcard $(BUILD)/.for-tests),-Dwerror=true -Dtests=true,)

.PHONY: all
all: deps
	$(call configure,$(BUILD),$(PLAIN_OPTIONS))
	@$(NINJA) -C $(BUILD)

.PHONY: deps test-deps
deps:
	@scripts/install-deps
test-deps:
	@scripts/install-deps --tests

.PHONY: demo
demo: all
	@$(NINJA) -C $(BUILD) tests/workloads/seventy_thirty > $(BUILD)/.demo.log || { cat $(BUILD)/.demo.log; exit 1; }
	@BUILD=$(BUILD) scripts/demo

# A C++ compiler that came after the first configuration is looked for again.
.PHONY: gallery
gallery:
	@scripts/install-deps --gallery
	$(call configure,$(BUILD),$(PLAIN_OPTIONS))
	@grep -q '^build tests/workloads/gallery:' $(BUILD)/build.ninja || \
		$(MESON) setup --reconfigure $(BUILD) $(PLAIN_OPTIONS) > $(BUILD)/.setup.log 2>&1 || { cat $(BUILD)/.setup.log; exit 1; }
	@$(NINJA) -C $(BUILD) assay tests/workloads/gallery

# What `make test` builds; tests/run asks for each, so that one that fails is one failed test.
.PHONY: build-gcc build-asan build-arm64
build-gcc:
	@mkdir -p $(BUILD); touch $(BUILD)/.for-tests
	$(call configure,$(BUILD),-Dwerror=true -Dtests=true)
	@$(NINJA) -k 0 -C $(BUILD)
build-asan: export CC := clang
# Not optimised, and with the debug information that lines in reports need: compiling takes a third of the time.
build-asan:
	$(call configure,$(ASAN),-Dwerror=true -Dtests=true -Db_sanitize=address$(comma)undefined -Db_lundef=false -Doptimization=0 -Dc_args=-gline-tables-only)
	@$(NINJA) -k 0 -C $(ASAN)
# Less optimised, and without debug information (workloads have theirs): compiling takes little more than half the time.
build-arm64:
	$(call configure,$(ARM64),--cross-file scripts/arm64.cross -Dwerror=true -Dtests=true -Doptimization=1 -Ddebug=false)
	@$(NINJA) -k 0 -C $(ARM64)
comma := ,

.PHONY: test test-kernel-debug bench bench-programs
test: test-deps
	@tests/run
test-kernel-debug: test-deps build-gcc
	@ASSAY=$(abspath $(BUILD)/assay) tests/vm/kernel-debug
bench: test-deps build-gcc
	@ASSAY=$(abspath $(BUILD)/assay) WORKLOADS=$(abspath $(BUILD)/tests/workloads) tests/bench/run
	@ASSAY=$(abspath $(BUILD)/assay) tests/bench/trace
bench-programs: all
	@ASSAY=$(abspath $(BUILD)/assay) tests/bench/programs --work $(BUILD)/bench-programs --out $(BUILD)/bench-programs.json

# libFuzzer programs in build-fuzz/tests/fuzz; run one as `build-fuzz/tests/fuzz/fuzz_X -entropic=0 CORPUS-DIR` (with the default schedule,
# entropic, slow targets spend their time on weighing inputs: a few executions a second)
.PHONY: fuzz
fuzz: export CC := clang
fuzz: test-deps
	$(call configure,build-fuzz,-Dfuzz=true -Db_sanitize=address$(comma)undefined -Db_lundef=false)
	@$(NINJA) -C build-fuzz

.PHONY: install install-perf-symlink
install: all
	@$(MESON) configure $(BUILD) -Dprefix=$(PREFIX)
	@DESTDIR='$(DESTDIR)' $(MESON) install -C $(BUILD)
# Not part of `install`: a machine may have the real one.
install-perf-symlink: install
	ln -sf assay '$(DESTDIR)$(PREFIX)/bin/perf'

.PHONY: dist deb
dist: all
	@BUILD=$(BUILD) scripts/dist source
	@BUILD=$(BUILD) scripts/dist portable
deb:
	@scripts/install-deps --package
	@BUILD=$(BUILD) scripts/dist deb

# Over all of src and web, about a minute of CPU time: part of `make test` as it is.
.PHONY: lint format check-format
lint: test-deps build-gcc
	@BUILD=$(BUILD) tests/check-lint
	@ASSAY=$(abspath $(BUILD)/assay) tests/check-web
FORMATTED := src/*/*.[ch] tests/unit/*.[ch] tests/fuzz/*.[ch]
format:
	clang-format -i $(FORMATTED)
check-format:
	clang-format --dry-run -Werror $(FORMATTED)

.PHONY: clean
clean:
	rm -rf $(BUILD) $(ASAN) $(ARM64) build-fuzz
