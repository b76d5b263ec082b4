# SPDX-License-Identifier: BSD-3-Clause
# The programs in pages, compiled and run, must print what the pages say.

# op2_text_between(PAGE BEGIN END OUTPUT): all texts of the page between the two strings, one after the other.
function(op2_text_between page begin end output)
  set(all "")
  string(LENGTH "${begin}" length)
  string(FIND "${page}" "${begin}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "the page has no '${begin}'")
  endif()
  while(NOT position EQUAL -1)
    math(EXPR position "${position} + ${length}")
    string(SUBSTRING "${page}" ${position} -1 page)
    string(FIND "${page}" "${end}" position)
    string(SUBSTRING "${page}" 0 ${position} text)
    string(APPEND all "${text}")
    string(FIND "${page}" "${begin}" position)
  endwhile()
  set(${output} "${all}" PARENT_SCOPE)
endfunction()

# op2_add_page_program(NAME FILE BEGIN END): the blocks of C++ of a page are a program; between BEGIN and END is what it prints.
function(op2_add_page_program name file begin end)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  file(READ ${PROJECT_SOURCE_DIR}/${file} page)
  op2_text_between("${page}" "```cpp\n" "```" program)
  op2_text_between("${page}" "${begin}" "${end}" printed)
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "${program}" @ONLY)
  add_executable(${name} ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE op2_flags op2::op2)
  add_test(NAME structure.${name} COMMAND ${name})
  set_tests_properties(structure.${name} PROPERTIES ENVIRONMENT "OP2_CACHE_DIR=${PROJECT_BINARY_DIR}/test-cache")
  set(tests structure.${name})
  if(OP2_HAVE_MPI AND NOT name STREQUAL readme_program)  # which declares the whole mesh
    op2_add_mpi_run(structure.${name}_np3 3 60 $<TARGET_FILE:${name}>)
    list(APPEND tests structure.${name}_np3)
  endif()
  set_tests_properties(${tests} PROPERTIES PASS_REGULAR_EXPRESSION "^${printed}\n$")
endfunction()

op2_add_page_program(readme_program README.md "It prints `" "`")
op2_add_page_program(tutorial_program docs/tutorial.md "```text\n" "\n```")
