# SPDX-License-Identifier: BSD-3-Clause
# The reference in HTML and the manual pages of tools: the target `reference` (`op2_reference` below another project), and what op2_package builds where Doxygen and
# help2man are installed. They go below share/doc/op2 and share/man.

find_package(Python3 COMPONENTS Interpreter)
find_package(Doxygen QUIET)
find_program(HELP2MAN help2man)
mark_as_advanced(HELP2MAN)
add_custom_target(op2_reference)
add_dependencies(op2_package op2_reference)
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(reference)
  add_dependencies(reference op2_reference)
endif()

if(DOXYGEN_FOUND AND Python3_FOUND)
  set(reference_dir ${PROJECT_BINARY_DIR}/reference)
  configure_file(cmake/reference/Doxyfile.in ${reference_dir}/Doxyfile @ONLY)
  configure_file(cmake/reference/main.md.in ${reference_dir}/main.md @ONLY)
  file(GLOB_RECURSE pages CONFIGURE_DEPENDS include/op2/*.h* docs/*.md cmake/reference/*)
  add_custom_command(OUTPUT ${reference_dir}/done
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${reference_dir}/html ${reference_dir}/xml
    COMMAND ${DOXYGEN_EXECUTABLE} ${reference_dir}/Doxyfile
    COMMAND ${CMAKE_COMMAND} -E touch ${reference_dir}/done
    DEPENDS ${pages} ${reference_dir}/Doxyfile ${reference_dir}/main.md VERBATIM COMMENT "Writing the reference")
  add_custom_target(op2_reference_html DEPENDS ${reference_dir}/done)
  add_dependencies(op2_reference op2_reference_html)
  install(DIRECTORY ${reference_dir}/html DESTINATION ${doc_dir} COMPONENT doc OPTIONAL)
else()
  message(STATUS "The reference is not built: it needs Doxygen and Python")
endif()

if(HELP2MAN AND Python3_FOUND AND (OP2_BUILD_TOOLS OR TARGET op2-embed-kernels))
  set(described "")
  if(OP2_BUILD_TOOLS)
    list(APPEND described report/op2-report mesh/op2-mesh model/op2-plot-prediction)
  endif()
  if(TARGET op2-embed-kernels)
    list(APPEND described embed_kernels/op2-cxx)
  endif()
  list(TRANSFORM described PREPEND ${PROJECT_SOURCE_DIR}/tools/)
  foreach(target op2-jitinspect op2-model op2-embed-kernels)
    if(TARGET ${target})
      list(APPEND described $<TARGET_FILE:${target}>)
    endif()
  endforeach()
  find_program(OP2_SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)  # has the packages that tools need
  mark_as_advanced(OP2_SYSTEM_PYTHON)
  set(python ${Python3_EXECUTABLE})
  if(OP2_SYSTEM_PYTHON)
    set(python ${OP2_SYSTEM_PYTHON})
  endif()
  set(manuals_dir ${PROJECT_BINARY_DIR}/manuals)
  add_custom_command(OUTPUT ${manuals_dir}/done
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/reference/manuals.sh ${manuals_dir} ${PROJECT_VERSION} ${python}
            ${described}
    COMMAND ${CMAKE_COMMAND} -E touch ${manuals_dir}/done
    DEPENDS ${described} cmake/reference/manuals.sh VERBATIM COMMENT "Writing manual pages")
  add_custom_target(op2_manuals DEPENDS ${manuals_dir}/done)
  add_dependencies(op2_reference op2_manuals)
  set(of_dev "op2-cxx.1.gz$|op2-embed-kernels.1.gz$")  # the component that these programs are in
  install(DIRECTORY ${manuals_dir}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT dev OPTIONAL
          FILES_MATCHING REGEX "${of_dev}")
  install(DIRECTORY ${manuals_dir}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools OPTIONAL
          FILES_MATCHING PATTERN "*.1.gz" REGEX "${of_dev}" EXCLUDE)
else()
  message(STATUS "Manual pages are not built: they need help2man, Python and tools")
endif()
