# SPDX-License-Identifier: BSD-3-Clause
# The front door. Everything is built by CMake in build/<preset>; see CMakePresets.json.

JOBS ?= 2
SETUP ?= tools/setup.sh
AIRFOIL := build/release/examples/airfoil/airfoil

.PHONY: help build airfoil test asan bench clean

help:
	@echo "make airfoil   run the example: build/airfoil.png, build/airfoil.vtu"
	@echo "make test      build and run all tests"
	@echo "make asan      the same with AddressSanitizer and UBSan"
	@echo "make bench     measure against hand-written code"
	@echo "make build     build the optimised library in build/release"
	@echo "make clean     remove the build folder"

# Installs missing packages first. JOBS compilations run at a time.
build/%/build.ninja: CMakeLists.txt CMakePresets.json
	@$(SETUP)
	@cmake --preset $*

build: build/release/build.ninja
	@cmake --build --preset release -j $(JOBS)

airfoil: build
	@$(AIRFOIL)

test: build/dev/build.ninja
	@cmake --build --preset dev -j $(JOBS)
	@ctest --preset dev

asan: build/asan/build.ninja
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan

bench: build
	@build/release/tests/bench/airfoil_bench
	@build/release/tests/bench/overhead_bench

clean:
	rm -rf build
