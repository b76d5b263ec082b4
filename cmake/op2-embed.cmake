# SPDX-License-Identifier: BSD-3-Clause
# op2_embed_kernels(target [SOURCES source ...] [OPTIONS option ...]): for programs written for OP2's
# developer headers. Embeds the source of the kernels in the units of the target, or in those given, so
# that the library can compile the kernels at run time; see share/doc/op2/docs/embedding.md. Call it in the folder that
# defines the target, after setting its sources and properties. Without op2-embed-kernels the target is
# left unchanged, and kernels run as function pointers.
#   OPTIONS  of op2-embed-kernels, e.g. -Werror=op2-access

cmake_policy(VERSION 3.20...3.25)

# Sets `variable` to whether the tool exists and can be started; prints a message once if not.
function(_op2_find_embed_tool variable)
  set(${variable} FALSE PARENT_SCOPE)
  if(TARGET op2::op2-embed-kernels)
    get_target_property(imported op2::op2-embed-kernels IMPORTED)
    set(status 0)
    if(imported)
      get_target_property(tool op2::op2-embed-kernels LOCATION)
      execute_process(COMMAND ${tool} --help RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    endif()
    if(status EQUAL 0)
      set(${variable} TRUE PARENT_SCOPE)
      return()
    endif()
  endif()
  get_property(reported GLOBAL PROPERTY OP2_EMBED_REPORTED)
  if(NOT reported)
    message(STATUS "op2_embed_kernels: op2-embed-kernels is missing or does not run here (it needs the "
                   "libraries of Clang); kernels will run as function pointers")
    set_property(GLOBAL PROPERTY OP2_EMBED_REPORTED TRUE)
  endif()
endfunction()

# Writes the flags of a target to a file, one per line, for each configuration.
function(_op2_write_flags target path)
  set(content "")
  foreach(pair "-I:INCLUDE_DIRECTORIES" "-D:COMPILE_DEFINITIONS" ":COMPILE_OPTIONS" ":COMPILE_FEATURES")
    string(REPLACE ":" ";" pair "${pair}")
    list(GET pair 0 start)
    list(GET pair 1 property)
    set(values "$<TARGET_PROPERTY:${target},${property}>")
    string(APPEND content "$<$<BOOL:${values}>:${start}$<JOIN:${values},\n${start}>\n>")
  endforeach()
  set(standard "$<TARGET_PROPERTY:${target},CXX_STANDARD>")
  string(APPEND content "$<$<BOOL:${standard}>:-std=gnu++${standard}\n>")
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  list(JOIN flags "\n" flags)
  string(APPEND content "${flags}\n")
  foreach(config IN LISTS CMAKE_CONFIGURATION_TYPES CMAKE_BUILD_TYPE)
    string(TOUPPER "${config}" upper)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS_${upper}}")
    list(JOIN flags "\n" flags)
    string(APPEND content "$<$<CONFIG:${config}>:${flags}\n>")
  endforeach()
  file(GENERATE OUTPUT "${path}" CONTENT "${content}" TARGET ${target})
endfunction()

# Adds the command that generates a wrapper unit, and sets the properties of the unit.
function(_op2_wrap_source target source wrapper flags)
  set(own "")
  foreach(pair "-I:INCLUDE_DIRECTORIES" "-D:COMPILE_DEFINITIONS" ":COMPILE_OPTIONS")
    string(REPLACE ":" ";" pair "${pair}")
    list(GET pair 0 start)
    list(GET pair 1 property)
    get_source_file_property(values "${source}" ${property})
    if(values)
      set_source_files_properties("${wrapper}" PROPERTIES ${property} "${values}")
      list(TRANSFORM values PREPEND "${start}")
      list(APPEND own ${values})
    endif()
  endforeach()
  get_filename_component(folder "${wrapper}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  file(RELATIVE_PATH shown "${CMAKE_SOURCE_DIR}" "${source}")
  add_custom_command(
    OUTPUT "${wrapper}"
    COMMAND op2::op2-embed-kernels "${source}" -o "${wrapper}" --depfile "${wrapper}.d" ${ARGN} --
            "@${flags}" ${own}
    DEPENDS "${source}" "${flags}" op2::op2-embed-kernels
    DEPFILE "${wrapper}.d"
    COMMENT "Extracting kernels of ${shown}"
    VERBATIM)
  set_source_files_properties("${wrapper}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION TRUE)
endfunction()

function(op2_embed_kernels target)
  cmake_parse_arguments(embed "" "" "SOURCES;OPTIONS" ${ARGN})
  if(embed_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "op2_embed_kernels(${target}): unknown argument '${embed_UNPARSED_ARGUMENTS}'; use SOURCES or OPTIONS")
  endif()
  get_target_property(home ${target} SOURCE_DIR)
  if(NOT home STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "op2_embed_kernels(${target}): call it in the folder that defines the target, ${home}")
  endif()
  _op2_find_embed_tool(found)
  if(NOT found)
    return()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/op2-embed/${target})
  _op2_write_flags(${target} "${folder}/flags-$<CONFIG>-$<COMPILE_LANGUAGE>.txt")

  set(wanted "")
  foreach(source IN LISTS embed_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND wanted "${source}")
  endforeach()
  get_target_property(sources ${target} SOURCES)
  set(result "")
  foreach(source IN LISTS sources)
    get_filename_component(path "${source}" ABSOLUTE)
    if(NOT source MATCHES "\\.(cpp|cc|cxx|c\\+\\+|C)$" OR (wanted AND NOT path IN_LIST wanted))
      list(APPEND result "${source}")
      continue()
    endif()
    list(REMOVE_ITEM embed_SOURCES "${source}")
    file(RELATIVE_PATH name "${home}" "${path}")
    string(REPLACE "../" "up/" name "${name}")
    string(REGEX REPLACE "\\.[^./]*$" ".op2.cpp" name "${name}")
    _op2_wrap_source(${target} "${path}" "${folder}/${name}" "${folder}/flags-$<CONFIG>-CXX.txt"
                     ${embed_OPTIONS})
    list(APPEND result "${folder}/${name}")
  endforeach()
  set_property(TARGET ${target} PROPERTY SOURCES "${result}")
endfunction()
