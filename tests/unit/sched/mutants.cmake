# SPDX-License-Identifier: BSD-3-Clause
# Proof that the random chains find mistakes: each mutant is the analysis with one line changed, and
# the recorded levels, the simulated meshes and the engine on fake ranks must notice it.
if(NOT OP2_QUICK_LIBRARY)
  return()
endif()

# op2_add_mutant(name file text replacement [check ...]): `text` occurs in `file`, which is relative to src. What is
# proven of loops and of maps, and slices, take part in the engine only; slots have their own check.
function(op2_add_mutant name file text replacement)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
  set(compiled sched/analysis/chain_analysis.cpp)
  set(checks ChainVectors ChainProperty RanksProperty)
  if(name MATCHES local)  # the recorded chains have no local maps
    set(checks ChainProperty RanksProperty)
  endif()
  if(file MATCHES "facts.cpp|halo_plan.cpp|slice.cpp|/analyse.cpp")
    set(compiled ${file})
    set(checks RanksProperty)
  endif()
  set(objects $<TARGET_OBJECTS:op2_chain_checks> $<TARGET_OBJECTS:op2_ranks_checks>)
  if(file MATCHES "slots.cpp")
    set(compiled ${file})
    set(checks Slots)
    set(objects $<TARGET_OBJECTS:op2_slots_checks>)
  endif()
  if(ARGN)
    set(checks ${ARGN})
  endif()
  foreach(source core/levels.hpp ${compiled})
    if(source STREQUAL file)
      op2_mutate(${name} ${file} "${text}" "${replacement}" ${folder}/${source})
    else()
      configure_file(${PROJECT_SOURCE_DIR}/src/${source} ${folder}/${source} COPYONLY)
    endif()
  endforeach()
  op2_replace_files(${compiled})
  add_executable(mutant_${name} ${folder}/${compiled} ${objects})
  target_include_directories(mutant_${name} BEFORE PRIVATE
    ${folder} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  # The mutated object comes before the library's own, which is then not taken.
  target_link_libraries(mutant_${name} PRIVATE op2_flags op2_fake_ranks op2_objects GTest::gtest_main)
  foreach(check IN LISTS checks)
    add_test(NAME mutant_${name}.${check} COMMAND mutant_${name} --gtest_filter=${check}.*)
    set_tests_properties(mutant_${name}.${check} PROPERTIES ENVIRONMENT TEST_CHAINS=500
      PASS_REGULAR_EXPRESSION "[1-9][0-9]* of [0-9]+ random (chains|meshes) differ")
  endforeach()
endfunction()

op2_add_mutant(need_exec_too_low core/levels.hpp "even_floor(j + 1) + 1" "even_floor(j + 1) - 1")
op2_add_mutant(up_too_low core/levels.hpp "even_floor(h) + 2" "even_floor(h) + 1")
op2_add_mutant(cov_too_high core/levels.hpp "even_floor(h - 1)" "even_floor(h - 1) + 2")
op2_add_mutant(local_targets_too_low core/levels.hpp "even_floor(h + 1) - 2" "even_floor(h + 1) - 4")
op2_add_mutant(local_inside_too_high core/levels.hpp "h < 0 ? inside(h) :" "h < 0 ? inside(h) + 2 :")
op2_add_mutant(local_map_of_one_rank comm/halo/halo_plan.cpp "map.remote_targets.empty() ? 1 : 0" "1")
op2_add_mutant(slice_claims_levels sched/analysis/slice.cpp "loop.slice < 0 ? loop.extent : std::min(loop.extent, 0)" "loop.extent")
op2_add_mutant(slice_without_old_values sched/analysis/slice.cpp "arg.access == OP_READ || arg.access == OP_RW ||" "arg.access == OP_READ ||")
op2_add_mutant(core_without_write_after_read sched/analysis/chain_analysis.cpp
               "if (arg.modifies()) rows = std::min(rows, limits.read[arg.dat])" "")
op2_add_mutant(direct_increment_only_adds sched/analysis/chain_analysis.cpp
               " || (arg.access == OP_INC && arg.is_direct())" "")
op2_add_mutant(indirect_write_replaces_all sched/analysis/chain_analysis.cpp
               "return arg.access == OP_WRITE && arg.is_direct()" "return arg.access == OP_WRITE")
op2_add_mutant(gathers_what_is_in_flight sched/analysis/chain_analysis.cpp
               "gathered ? completed_by(loop, elements) : elements" "elements" UnitProperty)
op2_add_mutant(overtakes_what_gathers_later sched/analysis/chain_analysis.cpp
               "arg.is_direct() ? elements : completed_by(loop, elements)"
               "arg.is_direct() || gathered ? level : completed_by(loop, elements)" UnitProperty)
op2_add_mutant(write_keeps_nothing sched/analysis/facts.cpp "facts[k].writes_all ? OP_WRITE : OP_RW" "true ? OP_WRITE : OP_RW")

op2_add_mutant(exchange_before_it_is_written sched/analysis/analyse.cpp "return std::ranges::none_of(records_in(queue_, chain.records), modifies_one);"
               "return std::ranges::none_of(records_in(queue_, chain.records), modifies_one) || true;")
op2_add_mutant(widened_beyond_valid_rows sched/analysis/chain_analysis.cpp "now[arg.dat] >= extent;" "now[arg.dat] >= extent || true;" WidenProperty)
op2_add_mutant(slots_in_local_order sched/executor/cpu/slots.cpp "std::sort(contributions_.begin() + row.first, contributions_.begin() + row.first + row.count);" "(void)row;")
op2_add_mutant(one_slot_too_few sched/executor/cpu/slots.cpp "if (now < before) return k;" "if (now < before) return k + 1;")
op2_add_mutant(slots_between_ranges_only sched/executor/cpu/slots.cpp "keys_.empty() && in_order" "in_order")
op2_add_mutant(slots_where_order_returns sched/executor/cpu/slots.cpp "keys_.empty() && in_order" "keys_.empty()")
op2_add_mutant(slot_left_out sched/executor/cpu/slots.cpp
               "s < slotted.count;" "s < slotted.count - (slotted.count > 2 ? 1 : 0);")
op2_add_mutant(slots_not_cleared sched/executor/cpu/slots.cpp "first[s * dim + k] = static_cast<T>(-T{})" "(void)first")
op2_add_mutant(slots_added_too_early sched/executor/cpu/slots.cpp
               "unit = std::max(unit," "unit = std::max(std::int64_t{0},")
op2_add_mutant(slots_before_direct_rows sched/executor/cpu/slots.cpp "c : contributions_of(row))"
               "c : contributions_of(row).subspan(static_cast<std::size_t>(row.direct)))")
op2_add_mutant(slots_in_declared_order sched/executor/cpu/slots.cpp "return last << 32 | set.global_index(element);" "return set.global_index(element);")
op2_add_mutant(slots_of_the_element_before sched/executor/cpu/slots.cpp
               "word.which & (bit_of(element) - 1)" "word.which & (bit_of(element) - 1) / 2")
