# SPDX-License-Identifier: BSD-3-Clause
# Which MPI library there is, by compiler wrappers too, and which one other libraries were built for.

# op2_name_mpi(variable): the MPI library and its version, by the macros of the mpi.h that the compiler finds; empty for one that is
# not known here. Wrappers such as mpicc and Cray's cc name no folder.
function(op2_name_mpi variable)
  set(folders ${MPI_C_INCLUDE_DIRS})
  list(TRANSFORM folders PREPEND -I)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/op2_mpi_macros.c)
  file(WRITE ${source} "#include <mpi.h>\n")
  execute_process(COMMAND ${CMAKE_C_COMPILER} ${folders} -E -dM ${source} OUTPUT_VARIABLE macros ERROR_QUIET)
  set(numbers "")
  foreach(part IN ITEMS MAJOR MINOR RELEASE)
    if(macros MATCHES "define OMPI_${part}_VERSION ([0-9]+)")
      list(APPEND numbers ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN numbers "." name)
  if(name)
    string(PREPEND name "Open MPI ")
  endif()
  # Those that derive from MPICH define its macro too.
  set(known I_MPI_VERSION MVAPICH2_VERSION MVAPICH_VERSION CRAY_MPICH_VERSION MPICH_VERSION)
  set(names "Intel MPI" MVAPICH2 MVAPICH "Cray MPICH" MPICH)
  foreach(macro word IN ZIP_LISTS known names)
    if(NOT name AND macros MATCHES "define ${macro} \"?([^\"\n]+)")
      set(name "${word} ${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(${variable} "${name}" PARENT_SCOPE)
endfunction()

# op2_find_needed_mpi(file variable): the shared MPI libraries that a library or program was linked to, e.g. libmpi.so.40.
function(op2_find_needed_mpi file variable)
  set(entries "")
  if(CMAKE_READELF)
    execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE entries ERROR_QUIET)
  endif()
  string(REGEX MATCHALL "NEEDED[^\n]*" needed "${entries}")
  string(REGEX MATCHALL "lib(mpi|mpich|mpi_(cray|ibm|gnu|intel|amd|aocc|nvidia)[_0-9]*)[.]so[.0-9]*" libraries "${needed}")
  set(${variable} "${libraries}" PARENT_SCOPE)
endfunction()

# op2_find_mpi_of_programs(variable): those of a program with MPI::MPI_C.
function(op2_find_mpi_of_programs variable)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/op2_mpi)
  file(WRITE ${folder}.c "#include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n")
  try_compile(links ${folder} SOURCES ${folder}.c LINK_LIBRARIES MPI::MPI_C COPY_FILE ${folder}.out COPY_FILE_ERROR none)
  op2_find_needed_mpi(${folder}.out libraries)
  unset(links CACHE)
  set(${variable} "${libraries}" PARENT_SCOPE)
endfunction()

# op2_find_other_mpi(file of_programs variable): the MPI library that the file was built for, if programs have another one;
# empty if they have the same, or if one of both is not known.
function(op2_find_other_mpi file of_programs variable)
  op2_find_needed_mpi(${file} other)
  if(of_programs)
    list(REMOVE_ITEM other ${of_programs})
  else()
    set(other "")
  endif()
  set(${variable} "${other}" PARENT_SCOPE)
endfunction()
