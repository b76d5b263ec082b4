# SPDX-License-Identifier: BSD-3-Clause
# What is installed, and in which component:
#   library  what programs need to run: libop2, its plug-ins, the helper that compiles kernels
#   dev      headers, the packages for CMake (find_package(op2 CONFIG)) and pkg-config, op2-cxx, op2-embed-kernels
#   tools    op2-jitinspect, op2-model, op2-mesh, op2-report
#   doc      pages, the reference, examples
# The installation is relocatable; its users need none of the libraries that libop2 is built from. The library, its
# plug-ins, its helper and what OP2_TOOLS loads have the version in their paths, so that several versions can be in one place.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/op2)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # op2_package builds what is installed, not the tests

add_custom_target(op2_package)  # what must be built before `cmake --install`

# op2_install(component kind folder target ...): those of the targets that are built.
function(op2_install component kind folder)
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      install(TARGETS ${target} ${kind} DESTINATION ${folder} COMPONENT ${component})
      add_dependencies(op2_package ${target})
    endif()
  endforeach()
endfunction()

# The library, with what it finds relative to its own path.
install(TARGETS op2 op2_compat EXPORT op2Targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev)
add_dependencies(op2_package op2)
op2_install(library LIBRARY ${CMAKE_INSTALL_LIBDIR}/${OP2_VERSIONED_FOLDER} op2_llvm op2_clang)
op2_install(library RUNTIME ${CMAKE_INSTALL_LIBDIR}/${OP2_VERSIONED_FOLDER} op2-compile)

# What the packages of CMake and pkg-config say of each part: its version, or "no".
set(OP2_BUILT_EMBED no)
if(TARGET op2-embed-kernels)
  set(OP2_BUILT_EMBED ${PROJECT_VERSION})
endif()
set(parts ${OP2_PARTS} EMBED)
foreach(part IN LISTS parts)
  string(APPEND versions_for_cmake "set(op2_${part}_VERSION ${OP2_BUILT_${part}})\n")
  string(TOLOWER "${part}=${OP2_BUILT_${part}}\n" line)
  string(APPEND versions_for_pkgconfig ${line})
endforeach()
list(JOIN parts " " parts)
string(APPEND versions_for_cmake "set(op2_MPI_LIBRARY \"${OP2_MPI_LIBRARY}\")\n")
string(APPEND versions_for_pkgconfig "mpi_library=${OP2_MPI_LIBRARY}\n")

# For building programs, also those with OP2's developer headers.
install(DIRECTORY include/op2 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(EXPORT op2Targets NAMESPACE op2:: FILE op2Targets.cmake DESTINATION ${package_dir} COMPONENT dev)
configure_file(cmake/op2Config.cmake.in op2Config.cmake @ONLY)
set(compatible SameMinorVersion)  # as OP2_SOVERSION
if(PROJECT_VERSION_MAJOR GREATER 0)
  set(compatible SameMajorVersion)
endif()
write_basic_package_version_file(op2ConfigVersion.cmake COMPATIBILITY ${compatible})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/op2ConfigVersion.cmake ${CMAKE_CURRENT_BINARY_DIR}/op2Config.cmake
              cmake/op2-embed.cmake DESTINATION ${package_dir} COMPONENT dev)
# Folders outside the prefix have absolute paths; then the installation cannot be moved.
file(RELATIVE_PATH pkgconfig_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix "${pkgconfig_to_prefix}")
foreach(folder LIBDIR INCLUDEDIR DATADIR)
  set(pc_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(pc_${folder} ${CMAKE_INSTALL_${folder}})
  endif()
endforeach()
foreach(name op2 op2-compat)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()
if(TARGET op2-embed-kernels)
  install(TARGETS op2-embed-kernels EXPORT op2Targets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT dev)
  add_dependencies(op2_package op2-embed-kernels)
  install(PROGRAMS tools/embed_kernels/op2-cxx DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT dev)
endif()

# Tools, and what OP2_TOOLS loads.
op2_install(tools RUNTIME ${CMAKE_INSTALL_BINDIR} op2-jitinspect op2-model)
op2_install(tools LIBRARY ${CMAKE_INSTALL_LIBDIR}/${OP2_VERSIONED_FOLDER} op2_nvtx op2_itt)
if(TARGET op2-jitinspect)
  install(FILES tools/jitinspect/op2-jitinspect.bash RENAME op2-jitinspect
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
endif()
if(TARGET op2-model)
  install(PROGRAMS tools/model/op2-plot-prediction DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endif()
if(OP2_BUILD_TOOLS)
  install(PROGRAMS tools/report/op2-report tools/mesh/op2-mesh DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  install(DIRECTORY tools/report/op2_report tools/mesh/op2_mesh DESTINATION ${CMAKE_INSTALL_DATADIR}/op2 COMPONENT tools
          FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/version CONTENT "${PROJECT_VERSION}\n")
  install(FILES tools/op2_new_file.py tools/op2_progress.py tools/op2_version.py ${CMAKE_CURRENT_BINARY_DIR}/version
          DESTINATION ${CMAKE_INSTALL_DATADIR}/op2 COMPONENT tools)
  foreach(program op2-report op2-model)
    install(FILES tools/report/op2-report.bash RENAME ${program}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
  endforeach()
endif()

# Where they find libraries: their own folder, that of LLVM, and those of shared libraries in OP2_DEPS_DIR and beside it. The
# path of linking lacks folders below the source.
set(rpath "$ORIGIN")
if(OP2_DEPS_DIR)
  cmake_path(ABSOLUTE_PATH OP2_DEPS_DIR NORMALIZE OUTPUT_VARIABLE folder)
  list(APPEND rpath ${folder}/lib)
endif()
foreach(target op2 op2-compile op2-jitinspect op2-model op2_llvm op2_clang op2-embed-kernels)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "${rpath}")
    if(OP2_DEPS_DIR OR target MATCHES "llvm|clang|embed")
      set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    endif()
  endif()
endforeach()

# Pages and examples; everything is below share/doc/op2, beside the licences: libop2's own, and in `copyright` also those of
# what its files contain.
set(doc_dir ${CMAKE_INSTALL_DATADIR}/doc/op2)
install(FILES LICENSE README.md CHANGELOG.md packaging/copyright DESTINATION ${doc_dir} COMPONENT doc)
install(DIRECTORY docs DESTINATION ${doc_dir} USE_SOURCE_PERMISSIONS COMPONENT doc FILES_MATCHING REGEX "[.](md|png|svg|py)$")
install(DIRECTORY bench/results DESTINATION ${doc_dir}/bench COMPONENT doc FILES_MATCHING REGEX "[.](md|png|jsonl)$")
install(DIRECTORY examples DESTINATION ${doc_dir} USE_SOURCE_PERMISSIONS COMPONENT doc
        FILES_MATCHING REGEX "(/CMakeLists[.]txt|[.](md|msh|png|cpp|hpp|h|py))$"
        PATTERN "build*" EXCLUDE PATTERN "__pycache__" EXCLUDE)
