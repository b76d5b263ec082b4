# SPDX-License-Identifier: BSD-3-Clause
# Proof that the tests of the canonical order find what depends on ranks: each mutant is one file of src/comm/order
# with one line changed.

# op2_add_order_mutant(name file text replacement): `text` occurs in `file`.
function(op2_add_order_mutant name file text replacement)
  set(source ${PROJECT_SOURCE_DIR}/src/comm/order/${file})
  set(mutated ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}.cpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} original)
  string(REPLACE "${text}" "${replacement}" changed "${original}")
  if(changed STREQUAL original)
    message(FATAL_ERROR "mutant ${name}: '${text}' is no longer in ${file}; adapt tests/unit/comm/order_mutants.cmake")
  endif()
  file(WRITE ${mutated} "${changed}")
  # The mutated object comes before the library's own, which is then not taken.
  add_executable(mutant_${name} ${mutated} $<TARGET_OBJECTS:op2_order_checks>)
  target_include_directories(mutant_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(mutant_${name} PRIVATE op2_flags op2_fake_ranks op2_objects GTest::gtest_main)
  add_test(NAME mutant_${name} COMMAND mutant_${name} --gtest_filter=CanonicalPlaces.*)
  set_tests_properties(mutant_${name} PROPERTIES PASS_REGULAR_EXPRESSION "FAILED TEST")
endfunction()

op2_add_order_mutant(roots_of_ranks level_keys.cpp "ranks_.reduce(words, \"the farthest element\");" "")
op2_add_order_mutant(ties_in_any_order dense_places.cpp "auto operator<=>(const Item&) const = default;"
  "auto operator<=>(const Item& other) const { return key <=> other.key; }
  bool operator==(const Item& other) const { return key == other.key; }")
op2_add_order_mutant(boxes_of_ranks coordinate_keys.cpp "reduce_values(ranks, bounds);" "(void)ranks, (void)bounds;")
