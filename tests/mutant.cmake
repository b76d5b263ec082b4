# SPDX-License-Identifier: BSD-3-Clause
# Mutants: files of src with one line changed, which tests must notice.

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
endfunction()
