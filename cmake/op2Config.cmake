# SPDX-License-Identifier: BSD-3-Clause
# Read by find_package(op2 CONFIG).
include(${CMAKE_CURRENT_LIST_DIR}/op2Targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/op2-embed.cmake)
