# SPDX-License-Identifier: BSD-3-Clause
# Programs with another object in place of one of the library, most of them mutants: files of src with one line changed,
# which tests must notice. Only the presets for tests have them, since the library's file must be compiled alone then.

# op2_replace_files(file ...): programs have other objects of these files, which are relative to src.
function(op2_replace_files)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE sources)
  set_source_files_properties(${sources} TARGET_DIRECTORY op2_objects PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# op2_mutate(name file text replacement mutated): writes `file`, relative to src, with `replacement` for `text`, which
# occurs in it, to the path `mutated`; again when the source changes.
function(op2_mutate name file text replacement mutated)
  set(source ${PROJECT_SOURCE_DIR}/src/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} original)
  string(REPLACE "${text}" "${replacement}" changed "${original}")
  if(changed STREQUAL original)
    message(FATAL_ERROR "mutant ${name}: '${text}' is no longer in src/${file}; adapt ${CMAKE_CURRENT_LIST_FILE}")
  endif()
  file(CONFIGURE OUTPUT ${mutated} CONTENT "${changed}" @ONLY)  # written only if it changes
  op2_replace_files(${file})
endfunction()
