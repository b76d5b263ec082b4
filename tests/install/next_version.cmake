# SPDX-License-Identifier: BSD-3-Clause
# This tree as the next version with another interface, for versions.sh: ${next}/include and lib. Only what knows the
# version is compiled again, with another version.hpp.
set(next ${CMAKE_CURRENT_BINARY_DIR}/next)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  math(EXPR number "${PROJECT_VERSION_MINOR} + 1")
  set(next_interface 0.${number})
  set(next_version 0.${number}.0)
else()
  math(EXPR next_interface "${PROJECT_VERSION_MAJOR} + 1")
  set(next_version ${next_interface}.0.0)
endif()

file(READ ${PROJECT_SOURCE_DIR}/include/op2/version.hpp header)
string(REPLACE "." ";" numbers ${next_version})
foreach(part number IN ZIP_LISTS "MAJOR;MINOR;PATCH" numbers)
  string(REGEX REPLACE "(define OP2_VERSION_${part}) [0-9]+" "\\1 ${number}" header "${header}")
endforeach()
string(REPLACE "\"${PROJECT_VERSION}\"" "\"${next_version}\"" header "${header}")
file(CONFIGURE OUTPUT ${next}/include/op2/version.hpp CONTENT "${header}" @ONLY)

# next_units(out source ...): those of the sources that know the version; headers must not.
function(next_units out)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} lines REGEX "OP2_(VERSION|INTERFACE)" LIMIT_COUNT 1)
    if(lines AND source MATCHES "[.]hpp$")
      message(FATAL_ERROR "${source} knows the version, and so does every unit that includes it: move that into a unit")
    elseif(lines)
      list(APPEND units ${source})
    endif()
  endforeach()
  set(${out} ${units} PARENT_SCOPE)
endfunction()

# next_library(target of depth unit ...): what `of` is linked from, except for the units, which are compiled again. Their
# objects are known by the last `depth` names of their paths.
function(next_library target of depth)
  string(REPEAT "/[^/]+" ${depth} ending)
  list(TRANSFORM ARGN REPLACE "^.*(${ending})[.]cpp$" "\\1" OUTPUT_VARIABLE names)
  list(JOIN names "|" either)
  get_target_property(libraries ${of} LINK_LIBRARIES)
  get_target_property(options ${of} LINK_OPTIONS)
  get_target_property(sources ${of} SOURCES)
  list(FILTER sources INCLUDE REGEX "TARGET_OBJECTS")  # of other targets
  add_library(${target} SHARED ${ARGN} ${sources} "$<FILTER:$<TARGET_OBJECTS:${of}>,EXCLUDE,(${either})[.]cpp[.]o$>")
  set_target_properties(${target} PROPERTIES LINK_LIBRARIES "${libraries}")
  if(options)
    target_link_options(${target} PRIVATE ${options})
  endif()
endfunction()

# next_flags(target): as the units of this version are compiled.
function(next_flags)
  foreach(target IN LISTS ARGN)
    target_include_directories(${target} BEFORE PRIVATE ${next}/include ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${target} PRIVATE OP2_VERSIONED_FOLDER="op2-${next_interface}"
                               OP2_INTERFACE="${next_interface}" OP2_BUILT_IN="" OP2_COMPILER="a compiler" OP2_SANITIZERS="")
    op2_set_test_flags(${target})
  endforeach()
endfunction()

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp ${PROJECT_SOURCE_DIR}/src/*.hpp)
next_units(units ${sources})
set_source_files_properties(${units} TARGET_DIRECTORY op2_objects PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
next_library(op2_next op2_objects 2 ${units})
set(OP2_SOVERSION_of_this ${OP2_SOVERSION})
set(OP2_SOVERSION ${next_interface})
configure_file(${PROJECT_SOURCE_DIR}/src/exports.map.in ${next}/exports.map @ONLY)
set(OP2_SOVERSION ${OP2_SOVERSION_of_this})
target_link_options(op2_next PRIVATE LINKER:--version-script=${next}/exports.map LINKER:--as-needed)
set_target_properties(op2_next PROPERTIES OUTPUT_NAME op2 VERSION ${next_version} SOVERSION ${next_interface}
                      LIBRARY_OUTPUT_DIRECTORY ${next}/lib)
next_flags(op2_next)

# The plug-ins and the helper.
set(unit ${PROJECT_SOURCE_DIR}/src/jit/plugin_version.cpp)
foreach(name llvm clang)
  next_library(op2_next_${name} op2_${name} 1 ${unit})
  set_target_properties(op2_next_${name} PROPERTIES OUTPUT_NAME op2_${name} LIBRARY_OUTPUT_DIRECTORY ${next}/lib/op2-${next_interface})
  next_flags(op2_next_${name})
endforeach()
get_target_property(sources op2-compile SOURCES)
list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/src/jit/remote/program/)
add_executable(op2_next_compile ${sources})
target_link_libraries(op2_next_compile PRIVATE fmt::fmt Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(op2_next_compile PROPERTIES OUTPUT_NAME op2-compile
                      RUNTIME_OUTPUT_DIRECTORY ${next}/lib/op2-${next_interface})
next_flags(op2_next_compile)
