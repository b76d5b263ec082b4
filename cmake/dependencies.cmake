# SPDX-License-Identifier: BSD-3-Clause
# Finds the libraries; each optional part is AUTO (use it if found), ON (fail without it) or OFF.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
find_package(nlohmann_json REQUIRED)
find_package(LLVM 19.1 CONFIG REQUIRED)
pkg_check_modules(hwloc IMPORTED_TARGET hwloc)

# The plug-in links Clang and LLVM as shared libraries of the same build; mixing them with static
# ones would give two copies of LLVM's state.
find_library(OP2_CLANG_CPP NAMES clang-cpp PATHS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH REQUIRED)
