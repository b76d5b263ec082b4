# SPDX-License-Identifier: BSD-3-Clause
# The random programs again, on an emulated device for each rank; and all of them for longer, for
# `make test-long`. Every program has OP2_CHAIN on and off among its configurations.

# op2_add_device_program(name sources ... [LIBRARIES lib ...]): a GoogleTest program of MPI whose loops
# run on emulated devices.
function(op2_add_device_program name)
  cmake_parse_arguments(test "" "" "LIBRARIES" ${ARGN})
  op2_add_mpi_program(${name} ${test_UNPARSED_ARGUMENTS} ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp
                      INTERNAL LIBRARIES op2_target_emulated_gpu GTest::gmock GTest::gtest ${test_LIBRARIES})
endfunction()

op2_add_device_program(ranks_property_mpi_on_device ranks_property_mpi_test.cpp)
set(ranks_on_device $<TARGET_FILE:ranks_property_mpi_on_device>)
set(stale_halo ranks_property_mpi_on_device_stale_halo_np2)
foreach(ranks 2 3)
  op2_add_mpi_run(ranks_property_mpi_on_device_np${ranks} ${ranks} 60 ${ranks_on_device})
endforeach()
op2_add_mpi_run(${stale_halo} 2 60 env TEST_DEVICE_STALE=9 ${ranks_on_device})
set_tests_properties(${stale_halo} PROPERTIES PASS_REGULAR_EXPRESSION "outcome.wrong")
foreach(ranks 1 2 3 4 7 8)
  op2_add_long_run(ranks_property_mpi_np${ranks} ${ranks} 600 env TEST_CHAINS=2000
                   $<TARGET_FILE:ranks_property_mpi_test>)
  op2_add_long_run(ranks_property_mpi_on_device_np${ranks} ${ranks} 600 env TEST_CHAINS=2000
                   ${ranks_on_device})
endforeach()

if(NOT OP2_HAVE_LLVM)
  return()
endif()

op2_add_device_program(equivalence_mpi_on_device equivalence_mpi_test.cpp
                       ${PROJECT_SOURCE_DIR}/tests/equivalence/random_program.cpp LIBRARIES fmt::fmt)
set(equivalence_on_device TEST_TILES=0 $<TARGET_FILE:equivalence_mpi_on_device>)
set(stale_halo equivalence_mpi_on_device_stale_halo_np2)
foreach(ranks 2 3)
  op2_add_mpi_run(equivalence_mpi_on_device_np${ranks} ${ranks} 200 env TEST_CHAINS=75
                  ${equivalence_on_device})
endforeach()
op2_add_mpi_run(${stale_halo} 2 200 env TEST_CHAINS=75 TEST_DEVICE_STALE=9 ${equivalence_on_device})
set_tests_properties(${stale_halo} PROPERTIES PASS_REGULAR_EXPRESSION "seed 1, configuration")
foreach(ranks 1 2 3 4 7 8)
  op2_add_long_run(equivalence_mpi_np${ranks} ${ranks} 3000 env TEST_CHAINS=300
                   $<TARGET_FILE:equivalence_mpi_test>)
  op2_add_long_run(equivalence_mpi_on_device_np${ranks} ${ranks} 3000 env TEST_CHAINS=300
                   ${equivalence_on_device})
endforeach()

# A device that fails on one rank ends the job, whatever it was doing.
op2_add_mpi_program(program_on_device program_on_ranks.cpp INTERNAL LIBRARIES op2_target_emulated_gpu)
foreach(call 1 5 20 35)
  op2_add_script(device_lost_${call}_np3 3 job_says.sh failure
                 "rank 1/3.*OP2-E508 device fault: device gpu1" env TEST_DEVICE_LOST=${call}
                 ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 $<TARGET_FILE:program_on_device> same)
endforeach()
