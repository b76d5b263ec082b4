# SPDX-License-Identifier: BSD-3-Clause
# The program in README.md, compiled and run, must print what is said there.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md)
file(READ ${PROJECT_SOURCE_DIR}/README.md page)

# op2_text_between(BEGIN END OUTPUT): the first text of the page between two strings.
function(op2_text_between begin end output)
  string(FIND "${page}" "${begin}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "README.md has no '${begin}'")
  endif()
  string(LENGTH "${begin}" length)
  math(EXPR position "${position} + ${length}")
  string(SUBSTRING "${page}" ${position} -1 rest)
  string(FIND "${rest}" "${end}" position)
  string(SUBSTRING "${rest}" 0 ${position} text)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

op2_text_between("```cpp\n" "```" program)
op2_text_between("It prints `" "`" printed)
file(CONFIGURE OUTPUT readme_program.cpp CONTENT "${program}" @ONLY)
add_executable(readme_program ${CMAKE_CURRENT_BINARY_DIR}/readme_program.cpp)
target_link_libraries(readme_program PRIVATE op2_flags op2::op2)
add_test(NAME structure.readme_program COMMAND readme_program)
set_tests_properties(structure.readme_program PROPERTIES
  PASS_REGULAR_EXPRESSION "^${printed}\n$"
  ENVIRONMENT "OP2_CACHE_DIR=${PROJECT_BINARY_DIR}/test-cache")
