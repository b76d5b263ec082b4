# SPDX-License-Identifier: BSD-3-Clause
# What the user may choose at configure time.

option(OP2_BUILD_TOOLS "Build op2-jitinspect" ${PROJECT_IS_TOP_LEVEL})
option(OP2_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(OP2_BUILD_TESTS "Build tests and benchmarks" ${PROJECT_IS_TOP_LEVEL})
set(OP2_DEPS_DIR "" CACHE PATH "Folder with spdlog, fmt, libsodium, ... for machines without packages")
set(OP2_SANITIZE "" CACHE STRING "Sanitizers for the library and for generated code: address;undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
if(OP2_DEPS_DIR)
  list(PREPEND CMAKE_PREFIX_PATH ${OP2_DEPS_DIR})
endif()

# Flags for all of the project's own targets.
add_library(op2_flags INTERFACE)
target_compile_options(op2_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(OP2_SANITIZE)
  list(JOIN OP2_SANITIZE "," sanitizers)
  target_compile_options(op2_flags INTERFACE -fsanitize=${sanitizers} -fno-omit-frame-pointer)
  target_link_options(op2_flags INTERFACE -fsanitize=${sanitizers})
endif()
