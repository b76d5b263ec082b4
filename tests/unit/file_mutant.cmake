# SPDX-License-Identifier: BSD-3-Clause
# Proof that tests find mistakes: a mutant is one file of src with one line changed.

# op2_add_file_mutant(name file text replacement checks filter): `text` occurs in `file`, which is relative to src.
# The tests of the objects `checks` that match `filter` must notice the change.
function(op2_add_file_mutant name file text replacement checks filter)
  if(NOT OP2_QUICK_LIBRARY)
    return()
  endif()
  set(mutated ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}.cpp)
  op2_mutate(${name} ${file} "${text}" "${replacement}" ${mutated})
  # The mutated object comes before the library's own, which is then not taken.
  add_executable(mutant_${name} ${mutated} $<TARGET_OBJECTS:${checks}>)
  target_include_directories(mutant_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(mutant_${name} PRIVATE op2_flags op2_fake_ranks op2_objects GTest::gtest_main)
  add_test(NAME mutant_${name} COMMAND mutant_${name} --gtest_filter=${filter})
  set_tests_properties(mutant_${name} PROPERTIES PASS_REGULAR_EXPRESSION "FAILED TEST")
endfunction()
