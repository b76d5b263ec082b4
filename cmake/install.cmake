# SPDX-License-Identifier: BSD-3-Clause
# The package: find_package(op2 CONFIG) provides op2::op2, pkg-config op2, and op2-compat for programs
# with OP2's developer headers. It is relocatable; its users need none of the libraries that libop2 is
# built from.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/op2)

install(DIRECTORY include/op2 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT op2Targets NAMESPACE op2:: FILE op2Targets.cmake DESTINATION ${package_dir})
write_basic_package_version_file(op2ConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/op2ConfigVersion.cmake cmake/op2Config.cmake cmake/op2-embed.cmake
        DESTINATION ${package_dir})

# The plug-in is in the folder of the library; every part finds the others relative to its own path.
install(TARGETS op2 op2_compat EXPORT op2Targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(target op2 op2_llvm op2_clang op2-jitinspect op2-model)
  if(TARGET ${target})
    if(NOT target STREQUAL op2)
      install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
    if(OP2_DEPS_DIR)
      set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    endif()
  endif()
endforeach()

if(TARGET op2-jitinspect)
  install(FILES tools/jitinspect/op2-jitinspect.bash RENAME op2-jitinspect
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()

if(TARGET op2-compile)
  install(TARGETS op2-compile RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR})
endif()

# For programs with OP2's developer headers.
if(TARGET op2-embed-kernels)
  install(TARGETS op2-embed-kernels EXPORT op2Targets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set_target_properties(op2-embed-kernels PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()
install(PROGRAMS tools/embed_kernels/op2-cxx DESTINATION ${CMAKE_INSTALL_BINDIR})

install(PROGRAMS tools/report/op2-report DESTINATION ${CMAKE_INSTALL_BINDIR})
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/version CONTENT "${PROJECT_VERSION}\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/version DESTINATION ${CMAKE_INSTALL_DATADIR}/op2)
foreach(program op2-report op2-model)
  install(FILES tools/report/op2-report.bash RENAME ${program}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endforeach()
install(DIRECTORY tools/report/op2_report DESTINATION ${CMAKE_INSTALL_DATADIR}/op2 FILES_MATCHING PATTERN "*.py")

if(TARGET op2-model)
  install(PROGRAMS tools/model/op2-plot-prediction DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(PROGRAMS tools/mesh/op2-mesh DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY tools/mesh/op2_mesh DESTINATION ${CMAKE_INSTALL_DATADIR}/op2 FILES_MATCHING PATTERN "*.py"
        PATTERN "__pycache__" EXCLUDE)

# Tools for OP2_TOOLS.
if(TARGET op2_nvtx)
  install(TARGETS op2_nvtx op2_itt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/op2)
endif()

# What must be built before `cmake --install`.
add_custom_target(op2_package)
foreach(target op2 op2-jitinspect op2-model op2-embed-kernels op2_nvtx op2_itt)
  if(TARGET ${target})
    add_dependencies(op2_package ${target})
  endif()
endforeach()

file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name op2 op2-compat)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
