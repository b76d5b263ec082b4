# SPDX-License-Identifier: BSD-3-Clause
# The random programs again, on an emulated device for each rank; and all of them for longer, for
# `make test-long`. Every program has OP2_CHAIN on and off among its configurations.

# op2_add_device_program(name sources ... [LIBRARIES lib ...]): a GoogleTest program of MPI whose loops
# run on emulated devices.
function(op2_add_device_program name)
  cmake_parse_arguments(test "" "" "LIBRARIES" ${ARGN})
  op2_add_mpi_program(${name} ${test_UNPARSED_ARGUMENTS} $<TARGET_OBJECTS:op2_mpi_main>
                      INTERNAL LIBRARIES op2_target_emulated_gpu GTest::gmock GTest::gtest ${test_LIBRARIES})
endfunction()

# op2_add_random_runs(name SECONDS s [CHAINS n] LONG_SECONDS s LONG_CHAINS n WRONG text [WITH NAME=value ...]):
# runs of the program <name>_on_device with n chains on 2 and 3 ranks, and on 2 with a stale halo, which
# must make it say the WRONG text; for `make test-long`, of <name>_test and <name>_on_device on 1 to 8.
function(op2_add_random_runs name)
  cmake_parse_arguments(run "" "SECONDS;CHAINS;LONG_SECONDS;LONG_CHAINS;WRONG" "WITH" ${ARGN})
  set(on_device ${run_WITH} $<TARGET_FILE:${name}_on_device>)
  set(some env)
  if(run_CHAINS)
    list(APPEND some TEST_CHAINS=${run_CHAINS})
  endif()
  foreach(ranks 2 3)
    op2_add_mpi_run(${name}_on_device_np${ranks} ${ranks} ${run_SECONDS} ${some} ${on_device})
  endforeach()
  set(stale_halo ${name}_on_device_stale_halo_np2)
  op2_add_mpi_run(${stale_halo} 2 ${run_SECONDS} ${some} TEST_DEVICE_STALE=8 ${on_device})
  set_tests_properties(${stale_halo} PROPERTIES PASS_REGULAR_EXPRESSION "${run_WRONG}")
  set(all env TEST_CHAINS=${run_LONG_CHAINS})
  foreach(ranks 1 2 3 4 5 6 7 8)
    op2_add_long_run(${name}_np${ranks} ${ranks} ${run_LONG_SECONDS} ${all} $<TARGET_FILE:${name}_test>)
    op2_add_long_run(${name}_on_device_np${ranks} ${ranks} ${run_LONG_SECONDS} ${all} ${on_device})
  endforeach()
endfunction()

op2_add_device_program(ranks_property_mpi_on_device $<TARGET_OBJECTS:op2_ranks_mpi_checks>)
op2_add_random_runs(ranks_property_mpi SECONDS 60 LONG_SECONDS 600 LONG_CHAINS 2000 WRONG "outcome.wrong")

if(NOT OP2_HAVE_LLVM)
  return()
endif()

op2_add_device_program(equivalence_mpi_on_device equivalence_mpi_test.cpp
                       $<TARGET_OBJECTS:op2_random_program> LIBRARIES fmt::fmt)
op2_add_random_runs(equivalence_mpi SECONDS 200 CHAINS 75 LONG_SECONDS 3000 LONG_CHAINS 300
                    WRONG "seed 1, configuration" WITH TEST_TILES=0)

# A device that fails on one rank ends the job, whatever it was doing.
op2_add_mpi_program(program_on_device program_on_ranks.cpp INTERNAL LIBRARIES op2_target_emulated_gpu)
foreach(call 1 5 20 35)
  op2_add_script(device_lost_${call}_np3 3 job_says.sh failure
                 "rank 1/3.*OP2-E508 device fault: device gpu1" env TEST_DEVICE_LOST=${call}
                 ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 $<TARGET_FILE:program_on_device> same)
endforeach()
