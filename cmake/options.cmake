# SPDX-License-Identifier: BSD-3-Clause
# What the user may choose at configure time.

option(OP2_BUILD_TOOLS "Build op2-jitinspect and op2-model" ${PROJECT_IS_TOP_LEVEL})
option(OP2_BUILD_EMBED "Build op2-embed-kernels, for programs with OP2's developer headers; needs Clang" ON)
option(OP2_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(OP2_BUILD_TESTS "Build tests and benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(OP2_STATIC_CLANG "The compiler contains Clang and LLVM, if their static libraries are there, for machines without them" OFF)
mark_as_advanced(OP2_STATIC_CLANG)
option(OP2_INSTALL "Define install rules" ${PROJECT_IS_TOP_LEVEL})
set(OP2_DEPS_DIR "" CACHE PATH
    "Folder with include/ and lib/ of libraries that the system does not have (fmt, spdlog, ...)")
set(OP2_SANITIZE "" CACHE STRING
    "Sanitizers for the library and for generated code: address;undefined or thread")

# Optional parts: AUTO uses what is found, ON fails without it, OFF leaves it out.
set(OP2_PARTS LLVM HWLOC MPI HDF5 SCOTCH PTSCOTCH)
foreach(part IN LISTS OP2_PARTS)
  set(OP2_WITH_${part} AUTO CACHE STRING "Use ${part}: AUTO, ON or OFF")
  set_property(CACHE OP2_WITH_${part} PROPERTY STRINGS AUTO ON OFF)
  if(NOT OP2_WITH_${part} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "OP2_WITH_${part}=${OP2_WITH_${part}} is none of AUTO, ON, OFF")
  endif()
endforeach()

foreach(sanitizer IN LISTS OP2_SANITIZE)
  if(NOT sanitizer MATCHES "^(address|undefined|thread)$")
    message(FATAL_ERROR "OP2_SANITIZE=${OP2_SANITIZE}: '${sanitizer}' is none of address, undefined, thread")
  endif()
endforeach()
if("address" IN_LIST OP2_SANITIZE AND "thread" IN_LIST OP2_SANITIZE)
  message(FATAL_ERROR "OP2_SANITIZE=${OP2_SANITIZE}: address and thread exclude each other; build two folders")
endif()

# What cannot be chosen, and what nobody chose, is said.
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  message(STATUS "BUILD_SHARED_LIBS=${BUILD_SHARED_LIBS}: libop2 is a shared library all the same: it loads its compiler "
                 "from the folder that it is in")
endif()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
    message(STATUS "CMAKE_BUILD_TYPE is not set: Release is built")
  else()
    message(WARNING "CMAKE_BUILD_TYPE is not set: libop2 is built without optimisation; add -DCMAKE_BUILD_TYPE=Release")
  endif()
endif()

if(PROJECT_IS_TOP_LEVEL)
  find_program(CCACHE_PROGRAM ccache)
  mark_as_advanced(CCACHE_PROGRAM)
  if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    # What it must not mind, so that units with precompiled headers are found in the cache.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  endif()
endif()

# Flags for all of the project's own targets. With -fpch-preprocess ccache need not read what a
# precompiled header was made from.
add_library(op2_flags INTERFACE)
target_compile_options(op2_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                           $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
if(OP2_SANITIZE)
  list(JOIN OP2_SANITIZE "," sanitizers)
  target_compile_options(op2_flags INTERFACE -fsanitize=${sanitizers} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
  target_link_options(op2_flags INTERFACE -fsanitize=${sanitizers})
endif()

# op2_join_units(target ...): units of a folder of these targets are compiled six at a time, since most read the same headers.
# A file more or less changes no other folder. -DOP2_JOIN_UNITS=OFF compiles each alone, and so shows a missing #include.
set(CMAKE_UNITY_BUILD OFF)  # tests have local names in common
option(OP2_JOIN_UNITS "Compile several source files as one: a third of the time" ON)
mark_as_advanced(OP2_JOIN_UNITS)
function(op2_join_units)
  foreach(target IN LISTS ARGN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${OP2_JOIN_UNITS} UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source)
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      string(MAKE_C_IDENTIFIER "${folder}" folder)
      list(APPEND in_${target}_${folder} ${source})
      list(LENGTH in_${target}_${folder} count)
      math(EXPR group "(${count} - 1) / 6")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${folder}_${group})
    endforeach()
  endforeach()
endfunction()

# op2_compile_quickly(target ...): in builds for tests, units take up to half as long; those of the library a fifth less,
# and what tests wait for is mostly compilers and processes.
function(op2_compile_quickly)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE "$<$<CONFIG:RelWithDebInfo>:-O1>")
  endforeach()
endfunction()
