# SPDX-License-Identifier: BSD-3-Clause
# Finds the libraries. OP2_DEPS_DIR is searched before the system, and libraries in it need no CMake
# package: headers in include/ and, for C libraries, the library in lib/ are enough.

function(op2_require target library)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${library} is missing: run tools/setup.sh, or set OP2_DEPS_DIR")
  endif()
endfunction()

# op2_find(target package header [definition ...]) defines the imported target of a C++ library;
# the definitions select its header-only use.
function(op2_find target package header)
  if(OP2_DEPS_DIR)
    find_package(${package} CONFIG QUIET PATHS ${OP2_DEPS_DIR} NO_DEFAULT_PATH)
    find_path(${package}_INCLUDE ${header} PATHS ${OP2_DEPS_DIR}/include NO_DEFAULT_PATH)
    mark_as_advanced(${package}_INCLUDE)
    if(${package}_INCLUDE AND NOT TARGET ${target})
      add_library(${target} INTERFACE IMPORTED)
      target_include_directories(${target} INTERFACE ${${package}_INCLUDE})
      target_compile_definitions(${target} INTERFACE ${ARGN})
    endif()
  endif()
  if(NOT TARGET ${target})
    find_package(${package} CONFIG QUIET)
  endif()
  op2_require(${target} ${package})
endfunction()

# op2_find_c(target name header [folder]) defines the imported target of a C library, if it is found;
# its headers may be in a separate folder.
function(op2_find_c target name header)
  find_path(${name}_INCLUDE ${header} HINTS ${OP2_DEPS_DIR}/include PATH_SUFFIXES ${ARGN})
  find_library(${name}_LIBRARY ${name} HINTS ${OP2_DEPS_DIR}/lib)
  mark_as_advanced(${name}_INCLUDE ${name}_LIBRARY)
  if(${name}_INCLUDE AND ${name}_LIBRARY AND NOT TARGET ${target})
    add_library(${target} UNKNOWN IMPORTED)
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION ${${name}_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${${name}_INCLUDE})
  endif()
endfunction()

# op2_decide(part found detail) sets OP2_HAVE_<part> from OP2_WITH_<part> and from what was found;
# `detail` is the version that was found, or what is missing.
function(op2_decide part found detail)
  set(wanted ${OP2_WITH_${part}})
  if(wanted STREQUAL AUTO)
    set(have ${found})
  elseif(wanted AND NOT found)
    message(FATAL_ERROR "OP2_WITH_${part}=ON is not possible: ${detail}")
  else()
    set(have ${wanted})
  endif()
  if(have)
    set(line "yes  ${detail}")
  elseif(found)
    set(line "no   switched off (${detail})")
  else()
    set(line "no   ${detail}")
  endif()
  string(SUBSTRING "${part}         " 0 10 name)
  set(OP2_HAVE_${part} ${have} PARENT_SCOPE)
  set(OP2_SUMMARY "${OP2_SUMMARY}\n--   ${name}${line}" PARENT_SCOPE)
endfunction()

find_package(Threads REQUIRED)
op2_find(fmt::fmt fmt fmt/core.h FMT_HEADER_ONLY)
op2_find(spdlog::spdlog spdlog spdlog/spdlog.h SPDLOG_FMT_EXTERNAL)
op2_find(nlohmann_json::nlohmann_json nlohmann_json nlohmann/json.hpp)
op2_find_c(sodium::sodium sodium sodium.h)
op2_require(sodium::sodium libsodium)
if(OP2_BUILD_TOOLS OR OP2_BUILD_EXAMPLES OR OP2_BUILD_TESTS)
  op2_find(CLI11::CLI11 CLI11 CLI/CLI.hpp)
endif()

# The plug-in links Clang and LLVM as shared libraries of the same build; mixing them with static
# ones would give two copies of LLVM's state.
set(OP2_SUMMARY "")
find_package(LLVM 19.1 CONFIG QUIET)
if(LLVM_FOUND)
  find_library(OP2_CLANG_CPP NAMES clang-cpp PATHS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH)
endif()
if(OP2_CLANG_CPP)
  op2_decide(LLVM TRUE "${LLVM_PACKAGE_VERSION} in ${LLVM_INSTALL_PREFIX}")
else()
  op2_decide(LLVM FALSE "needs LLVM 19.1 and its shared Clang library; only host functions run")
endif()

op2_find_c(hwloc::hwloc hwloc hwloc.h)
if(TARGET hwloc::hwloc)
  op2_decide(HWLOC TRUE "${hwloc_LIBRARY}")
else()
  op2_decide(HWLOC FALSE "needs hwloc; threads are not pinned")
endif()

if(NOT OP2_WITH_MPI STREQUAL OFF)
  enable_language(C)  # FindMPI looks for the C interface only then
  find_package(MPI QUIET COMPONENTS C)
endif()
if(MPI_C_FOUND)
  op2_decide(MPI TRUE "MPI ${MPI_C_VERSION}, ${MPI_C_HEADER_DIR}")
else()
  op2_decide(MPI FALSE "needs an MPI library; a job has one process")
endif()

foreach(library scotch scotcherr)  # not scotcherrexit, which ends the process
  op2_find_c(scotch::${library} ${library} scotch.h scotch)
endforeach()
if(TARGET scotch::scotch AND TARGET scotch::scotcherr)
  op2_decide(SCOTCH TRUE "${scotch_LIBRARY}")
else()
  op2_decide(SCOTCH FALSE "needs Scotch; badly numbered meshes keep the order of their largest set")
endif()

foreach(library ptscotch ptscotcherr)
  op2_find_c(scotch::${library} ${library} ptscotch.h scotch)
endforeach()
if(OP2_HAVE_MPI AND TARGET scotch::ptscotch AND TARGET scotch::scotch AND TARGET scotch::ptscotcherr)
  op2_decide(PTSCOTCH TRUE "${ptscotch_LIBRARY}")
else()
  op2_decide(PTSCOTCH FALSE "needs MPI and PT-Scotch; meshes are cut by coordinates")
endif()

# With MPI the parallel library is preferred; -DHDF5_PREFER_PARALLEL=OFF selects the serial
# one, with which one rank reads and writes for all. HDF5_ROOT is searched first.
if(NOT OP2_WITH_HDF5 STREQUAL OFF)
  enable_language(C)
  if(NOT DEFINED HDF5_PREFER_PARALLEL)
    set(HDF5_PREFER_PARALLEL ${OP2_HAVE_MPI})
  endif()
  if(OP2_DEPS_DIR AND NOT HDF5_ROOT AND EXISTS ${OP2_DEPS_DIR}/include/hdf5.h)
    set(HDF5_ROOT ${OP2_DEPS_DIR})
  endif()
  find_package(HDF5 1.10 QUIET COMPONENTS C)
endif()
set(OP2_HDF5_PARALLEL FALSE)
if(NOT HDF5_FOUND)
  op2_decide(HDF5 FALSE "needs HDF5 1.10; meshes come from the program, not from files")
elseif(HDF5_IS_PARALLEL AND NOT OP2_HAVE_MPI)
  op2_decide(HDF5 FALSE "needs MPI too, for which the HDF5 that was found is built")
elseif(HDF5_IS_PARALLEL)
  set(OP2_HDF5_PARALLEL TRUE)
  op2_decide(HDF5 TRUE "${HDF5_VERSION}, parallel")
else()
  op2_decide(HDF5 TRUE "${HDF5_VERSION}, serial: one rank reads and writes for all")
endif()
# A shared library brings its dependencies along; those that its compiler wrapper lists are only for
# static linking.
set(OP2_HDF5_LIBRARIES ${HDF5_C_LIBRARIES})
if(OP2_HAVE_HDF5)
  list(GET HDF5_C_LIBRARIES 0 first)
  if(first MATCHES "[.](so|dylib)$")
    set(OP2_HDF5_LIBRARIES ${first})
  endif()
endif()

op2_decide(CUDA FALSE "not part of this version")

message(STATUS "libop2 ${PROJECT_VERSION} (${CMAKE_BUILD_TYPE})${OP2_SUMMARY}")
