# SPDX-License-Identifier: BSD-3-Clause
# Shortcuts for common tasks. CMake builds everything in build/<preset>; see CMakePresets.json.
#   JOBS=n      number of parallel compilations
#   SETUP=true  install no packages

JOBS ?= $(shell nproc)
SETUP ?= tools/setup.sh
SHELL := /bin/bash
PYTHON ?= /usr/bin/python3

PREFIX ?= /usr/local

.PHONY: help build install packages packages-mpich reference airfoil test test-long test-llvm test-arm test-ppc64el test-mpich fuzz same-bits asan tsan bench bench-against bench-checkpoint bench-gpu bench-mpi bench-auto bench-model bench-reproducible setup clean

# Debian's MPICH is beside Open MPI, and needed for these alone.
test-mpich packages-mpich: SETUP += --mpich

help:
	@echo "make airfoil   run the example: residuals, per-loop table, build/airfoil.png and .vtu"
	@echo "make test      build and run all tests"
	@echo "make test-long random programs for longer, on 1 to 8 ranks, on the CPU and on emulated devices"
	@echo "make test-llvm LLVM=18"
	@echo "               src/jit/llvm and op2-embed-kernels compile with that LLVM: 17, 18, 19 or 22 (3 min)"
	@echo "make test-mpich"
	@echo "               tests on 2 ranks with MPICH, which is installed beside Open MPI (15 min)"
	@echo "make test-arm  a part of the tests on emulated AArch64, in a root of its own (SAMPLE=--sample: a few)"
	@echo "make test-ppc64el"
	@echo "               the library without its compiler of kernels, on emulated POWER (15 min)"
	@echo "make fuzz      100 000 random chains on ranks, chains of 20 000 random programs; TEST_SEED=n"
	@echo "make same-bits OP2_REPRODUCIBLE=on: programs in 1 728 configurations, on 1 to 8 ranks (30 min)"
	@echo "make asan      make test with AddressSanitizer and UBSan"
	@echo "make tsan      random programs on threads with ThreadSanitizer, and races that it must find"
	@echo "make bench     measure against hand-written code, and two ranks against one"
	@echo "make bench-against BASE=commit"
	@echo "               all but kernels_bench, and cold start, against that commit (70 min); ROUNDS=15, QUICK=--quick (20 min)"
	@echo "make bench-checkpoint"
	@echo "               checkpoints beside dd, on 1 and 2 ranks (2 min); FOLDER=on the disk to be measured"
	@echo "make bench-gpu compilation for GPUs; with a GPU copies, launches and programs too: bench/gpu/README.md (5 min)"
	@echo "make bench-model op2-model against the clock of this machine, two ranks: bench/results/model.md (30 min)"
	@echo "make bench-auto how far OP2_CHAIN=auto is from the better of on and off (hours; QUICK=--quick: 10 min)"
	@echo "make bench-mpi what chains save on modelled networks: bench/results/scaling.md (25 min; QUICK=--quick: 3)"
	@echo "make bench-reproducible"
	@echo "               time, memory and planning of OP2_REPRODUCIBLE=on: bench/results/reproducibility.md (20 min; QUICK=--quick: 4)"
	@echo "make build     the optimised library and its tools in build/release"
	@echo "make install   the same, installed in PREFIX=/usr/local"
	@echo "make packages  Debian packages in build/debian/packages; make packages-mpich: with MPICH, in build/debian-mpich/packages"
	@echo "make reference the reference in build/release/reference/html/index.html, and manual pages"
	@echo "make clean     remove the build folder"
	@echo "All but the last install missing Debian packages first (tools/setup.sh)."

setup:
	@$(SETUP)

build/%/build.ninja: | setup
	@cmake --preset $*

build: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target op2_package

reference: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target reference

install: build
	@cmake --install build/release --prefix $(PREFIX)

packages: build/debian/build.ninja
	@cmake --build --preset debian -j $(JOBS)
	@cd build/debian && cpack -G DEB

packages-mpich: build/debian-mpich/build.ninja
	@cmake --build --preset debian-mpich -j $(JOBS)
	@cd build/debian-mpich && cpack -G DEB

airfoil: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target airfoil
	@build/release/examples/airfoil/airfoil
	@echo "and on a mesh of 100 x 150, until the flow is steady, for the picture:"
	@build/release/examples/airfoil/airfoil --size 100 150 --iterations 4000 --every 1000 --no-check \
	  --vtu build/airfoil.vtu >build/airfoil.txt && grep residual build/airfoil.txt
	@$(PYTHON) examples/airfoil/plot_mach.py build/airfoil.vtu build/airfoil.png
	@echo "wrote build/airfoil.png and build/airfoil.vtu"

# The last lines are the warnings of this build's compilations, and how long both took.
test: build/dev/build.ninja
	@set -o pipefail; begin=$$(date +%s) && cmake --build --preset dev -j $(JOBS) 2>&1 | tee build/dev/build.log && \
	  built=$$(date +%s) && ctest --preset dev && tested=$$(date +%s) && \
	  grep -h "^checked .*\(random\|reference\)" build/dev/Testing/Temporary/LastTest.log && \
	  { grep "warning: .*\[-W" build/dev/build.log | grep -v "\[-Wop2-" | sort -u || true; } && \
	  echo "build $$((built - begin)) s, tests $$((tested - built)) s"

test-long: build/dev/build.ninja
	@cmake --build --preset dev -j $(JOBS)
	@ctest --preset dev -C long -L long

test-llvm:
	$(if $(LLVM),,$(error LLVM is not set; give a version, e.g. make test-llvm LLVM=18))
	@tests/portability/llvm.sh compile $(LLVM) build/llvm-$(LLVM)

test-mpich: build/mpich/build.ninja
	@cmake --build --preset mpich -j $(JOBS)
	@ctest --preset mpich

# As root; installs nothing on this machine.
test-arm:
	@JOBS=$(JOBS) tests/cross/run.sh . build/arm64 arm64 $(SAMPLE)

test-ppc64el:
	@JOBS=$(JOBS) tests/cross/run.sh . build/ppc64el ppc64el $(SAMPLE)

fuzz: build/dev/build.ninja
	@cmake --build --preset dev -j $(JOBS) --target ranks_property_test equivalence_test
	@TEST_CHAINS=$${TEST_CHAINS:-100000} build/dev/tests/unit/sched/ranks_property_test
	@TEST_CHAINS=$${TEST_CHAINS:-20000} build/dev/tests/equivalence/equivalence_test

same-bits: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target same_bits_program emulated_cuda
	@ctest --preset release -C long -R "^long_same_bits$$" --verbose

asan: build/asan/build.ninja
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan

tsan: build/tsan/build.ninja
	@cmake --build --preset tsan -j $(JOBS) --target race_tests thread_pool_test equivalence_test
	@ctest --preset tsan -R "^(race_mutant_|(race|thread_pool|equivalence)_test$$)"

bench: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target airfoil_bench cg_bench kernels_bench stream_bench overhead_bench ranks_bench airfoil
	@for bench in stream_bench airfoil_bench "airfoil_bench --size 800 1200 --rounds 5" cg_bench kernels_bench \
	  overhead_bench; do build/release/bench/$$bench || exit 1; done | tee build/bench.jsonl
	@$(PYTHON) -B bench/scripts/bench_ranks.py build/release | tee -a build/bench.jsonl
	@$(PYTHON) -B bench/scripts/plot_bench.py build/bench.jsonl build/bench.png
	@echo "wrote build/bench.jsonl and build/bench.png"

bench-against: build/release/build.ninja
	$(if $(BASE),,$(error BASE is not set; give a commit, e.g. make bench-against BASE=HEAD~1))
	@$(PYTHON) -B bench/scripts/bench_against.py $(BASE) --jobs $(JOBS) $(if $(ROUNDS),--rounds $(ROUNDS)) $(QUICK)

bench-checkpoint: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target checkpoint_bench op2-compile
	@$(PYTHON) -B bench/scripts/bench_checkpoint.py build/release $(if $(FOLDER),--folder $(FOLDER))

bench-reproducible: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target airfoil cg_bench reduction_bench
	@$(PYTHON) -B bench/scripts/bench_reproducible.py build/release $(if $(ROUNDS),--rounds $(ROUNDS)) $(QUICK)

# The programs of bench/gpu/bundle.sh.
GPU_KIT = airfoil cg_bench device_bench host_time_bench equivalence_test gpu_kernels_test program_on_device_test op2-jitinspect

bench-gpu: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target $(GPU_KIT)
	@bench/gpu/bundle.sh --from build/release build/gpu-kit
	@build/gpu-kit/check.sh build/bench-gpu --steps "versions gpu compile device scheme kernels airfoil large cg tiny host"; \
	  status=$$?; cat build/bench-gpu/results.jsonl; exit $$status

bench-auto: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target loop_chain airfoil hydra_chains cg_bench cores_bench netmodel op2-jitinspect
	@$(PYTHON) -B bench/scripts/bench_explained.py build/release $(if $(QUICK),build $(QUICK),bench/results)
	@$(PYTHON) -B bench/scripts/bench_auto.py build/release $(if $(QUICK),build $(QUICK),bench/results)

bench-model: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target airfoil cg_bench cores_bench op2-model op2-jitinspect
	@$(PYTHON) -B bench/scripts/bench_model.py build/release bench/results

bench-mpi: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target loop_chain hydra_chains airfoil netmodel row_bench op2-jitinspect
	@$(PYTHON) -B bench/scripts/bench_mpi.py build/release $(if $(QUICK),build $(QUICK),bench/results)

clean:
	rm -rf build
