# SPDX-License-Identifier: BSD-3-Clause
# cmake -DSOURCE=... -DCMAKE_C_COMPILER=... -P mpi_names.cmake: each MPI library gets its name from the macros of its mpi.h.
cmake_policy(VERSION 3.22)
include(${SOURCE}/cmake/mpi.cmake)

function(expect name)
  file(WRITE ${MPI_C_INCLUDE_DIRS}/mpi.h "")
  foreach(line IN LISTS ARGN)
    file(APPEND ${MPI_C_INCLUDE_DIRS}/mpi.h "#define ${line}\n")
  endforeach()
  op2_name_mpi(found)
  if(NOT found STREQUAL name)
    message(SEND_ERROR "'${found}' instead of '${name}' for ${ARGN}")
  endif()
endfunction()

set(MPI_C_INCLUDE_DIRS ${CMAKE_CURRENT_BINARY_DIR}/mpi_names)
expect("Open MPI 5.0.7" "OMPI_MAJOR_VERSION 5" "OMPI_MINOR_VERSION 0" "OMPI_RELEASE_VERSION 7")
expect("MPICH 4.0.2" "MPICH_VERSION \"4.0.2\"")
expect("Intel MPI 2021.9.0" "MPICH_VERSION \"3.4a2\"" "I_MPI_VERSION \"2021.9.0\"")
expect("MVAPICH2 2.3.7" "MVAPICH2_VERSION \"2.3.7\"" "MPICH_VERSION \"3.2.1\"")
expect("MVAPICH 4.0" "MVAPICH_VERSION \"4.0\"" "MPICH_VERSION \"4.3.0\"")
expect("Cray MPICH 8.1.28" "MPICH_VERSION \"3.4a2\"" "CRAY_MPICH_VERSION 8.1.28")
expect("" "MPI_VERSION 3")
