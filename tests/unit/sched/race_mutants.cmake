# SPDX-License-Identifier: BSD-3-Clause
# With ThreadSanitizer (preset tsan): the library has no races in race_test, and each race mutant,
# the library with one line changed so that threads meet, is reported, with an access in compiled
# code as the culprit. Other presets build none of this.
if(NOT OP2_SANITIZE MATCHES thread OR NOT OP2_HAVE_LLVM)
  return()
endif()

op2_add_test(race_test race_test.cpp INTERNAL)
add_dependencies(race_test op2-compile)
add_custom_target(race_tests DEPENDS race_test)

# op2_add_race_mutant(name test file text replacement): `text` occurs in `file`, relative to src;
# ThreadSanitizer must report a race in the test of race_test.
function(op2_add_race_mutant name test file text replacement)
  set(mutated ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/${file})
  op2_mutate(${name} ${file} "${text}" "${replacement}" ${mutated})
  # The mutated object comes before the library's own, which is then not taken.
  add_executable(race_mutant_${name} ${mutated} race_test.cpp)
  target_include_directories(race_mutant_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(race_mutant_${name} PRIVATE op2_objects GTest::gtest_main)
  op2_set_test_flags(race_mutant_${name})
  add_dependencies(race_tests race_mutant_${name})
  # Compiled code has no names: the frame is <null>.
  add_test(NAME race_mutant_${name} COMMAND race_mutant_${name} --gtest_filter=Races.${test})
  set_tests_properties(race_mutant_${name} PROPERTIES TIMEOUT 120
    ENVIRONMENT "OP2_PLUGIN_DIR=${PROJECT_BINARY_DIR}/lib;OP2_CACHE_DIR=${PROJECT_BINARY_DIR}/test-cache;TSAN_OPTIONS=halt_on_error=1"
    PASS_REGULAR_EXPRESSION "ThreadSanitizer: data race[^\n]*\n[^\n]*\n *#0 <null> <null>")
endfunction()

op2_add_race_mutant(loops_without_barrier LoopsOnThreadsHaveNone sched/executor/cpu/executor.cpp
                    "if (s > 0) run.pool.barrier()" "")
op2_add_race_mutant(loops_without_second_barrier LoopsOnThreadsHaveNone sched/executor/cpu/executor.cpp
                    "if (s > 0) run.pool.barrier()" "if (s == 1) run.pool.barrier()")
op2_add_race_mutant(pairs_share_a_block LoopsOnThreadsHaveNone sched/executor/cpu/parts.cpp
                    "(busy_[round][low] || busy_[round][high])" "false")
op2_add_race_mutant(tiles_without_barrier TilesOnThreadsHaveNone sched/executor/cpu/executor.cpp
                    "if (s > 0) all.plan.pool_.barrier()" "")
op2_add_race_mutant(tiles_without_second_barrier TilesOnThreadsHaveNone sched/executor/cpu/executor.cpp
                    "if (s > 0) all.plan.pool_.barrier()" "if (s == 1) all.plan.pool_.barrier()")
op2_add_race_mutant(barrier_that_orders_nothing LoopsOnThreadsHaveNone core/thread_pool.cpp
                    "passed_.fetch_add(1)" "passed_.fetch_add(1, std::memory_order_relaxed)")
