# SPDX-License-Identifier: BSD-3-Clause
# What the user may choose at configure time.

option(OP2_BUILD_TOOLS "Build op2-jitinspect" ${PROJECT_IS_TOP_LEVEL})
option(OP2_BUILD_EMBED "Build op2-embed-kernels, for programs with OP2's developer headers; needs Clang" ON)
option(OP2_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(OP2_BUILD_TESTS "Build tests and benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(OP2_INSTALL "Define install rules" ${PROJECT_IS_TOP_LEVEL})
set(OP2_DEPS_DIR "" CACHE PATH
    "Folder with include/ and lib/ of libraries that the system does not have (fmt, spdlog, ...)")
set(OP2_SANITIZE "" CACHE STRING
    "Sanitizers for the library and for generated code: address;undefined or thread")

# Optional parts: AUTO uses what is found, ON fails without it, OFF leaves it out.
set(OP2_PARTS LLVM HWLOC MPI CUDA HDF5 SCOTCH PTSCOTCH)
foreach(part IN LISTS OP2_PARTS)
  set(OP2_WITH_${part} AUTO CACHE STRING "Use ${part}: AUTO, ON or OFF")
  set_property(CACHE OP2_WITH_${part} PROPERTY STRINGS AUTO ON OFF)
  if(NOT OP2_WITH_${part} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "OP2_WITH_${part}=${OP2_WITH_${part}} is none of AUTO, ON, OFF")
  endif()
endforeach()

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
  find_program(CCACHE_PROGRAM ccache)
  mark_as_advanced(CCACHE_PROGRAM)
  if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  endif()
endif()

# Flags for all of the project's own targets.
add_library(op2_flags INTERFACE)
target_compile_options(op2_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(OP2_SANITIZE)
  list(JOIN OP2_SANITIZE "," sanitizers)
  target_compile_options(op2_flags INTERFACE -fsanitize=${sanitizers} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
  target_link_options(op2_flags INTERFACE -fsanitize=${sanitizers})
endif()
