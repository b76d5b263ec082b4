# SPDX-License-Identifier: BSD-3-Clause
# Packages for Debian, one per component of the installation: `make packages`, or cpack in a folder that the preset debian has
# configured. The library's name has its version, so that several can be installed; the others belong to one version.

# Debian's variables name who builds.
set(builder "libop2 developers <libop2@op2.invalid>")
if(DEFINED ENV{DEBEMAIL} AND DEFINED ENV{DEBFULLNAME})
  set(builder "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME op2)
set(CPACK_PACKAGE_VENDOR "libop2")
set(CPACK_PACKAGE_CONTACT "${builder}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each has its own
set(CPACK_PACKAGE_HOMEPAGE_URL "https://op-dsl.github.io")  # of the abstraction
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 2)
set(CPACK_COMPONENTS_ALL library dev tools doc)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# Programs that are packaged with this version need it or a later one of its interface. With MPICH the library's package has
# another name, and takes the place of the one with Open MPI.
set(library libop2-${OP2_SOVERSION})
set(library_package ${library})
set(launcher openmpi-bin)
if(OP2_HAVE_MPI AND OP2_MPI_LIBRARY MATCHES "^MPICH")
  set(library_package ${library}-mpich)
  set(launcher mpich)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_PROVIDES "${library} (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONFLICTS ${library})
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_REPLACES ${library})
endif()
set(control ${PROJECT_BINARY_DIR}/packaging)
file(CONFIGURE OUTPUT ${control}/shlibs CONTENT "libop2 ${OP2_SOVERSION} ${library} (>= ${PROJECT_VERSION})\n")
file(CONFIGURE OUTPUT ${control}/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libsleef3")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "${launcher}, op2-doc")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${control}/shlibs;${control}/triggers")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "computations on unstructured meshes: shared library
Runs programs that are linked with libop2: compiles their loops over sets
of a mesh at run time, and executes them on threads, MPI ranks and NVIDIA
GPUs.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libop2-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "op2-tools, op2-doc")
set(CPACK_DEBIAN_DEV_DESCRIPTION "computations on unstructured meshes: headers
What is needed to build programs with libop2: headers, the packages of CMake
and pkg-config, and op2-cxx, which embeds the sources of kernels in programs
for OP2's developer headers.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME op2-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "python3")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "python3-numpy, python3-h5py, python3-matplotlib, python3-meshio, python3-netcdf4")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "computations on unstructured meshes: tools
Tools for programs with libop2: look into the cache of compiled kernels
(op2-jitinspect), predict times on many ranks (op2-model), convert meshes
(op2-mesh), report runs (op2-report).")

set(CPACK_DEBIAN_DOC_PACKAGE_NAME op2-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DOC_DESCRIPTION "computations on unstructured meshes: documentation
Pages about libop2, the reference of functions, switches and errors, and
example programs.")

# Each has the licences and the changes where Debian looks for them; other installations do not have these files.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # that of SOURCE_DATE_EPOCH, if it is set
file(CONFIGURE OUTPUT ${control}/changelog @ONLY CONTENT "op2 (@PROJECT_VERSION@) unstable; urgency=medium

  * The changes are in /usr/share/doc/op2/CHANGELOG.md, package op2-doc.

 -- @builder@  @date@
")
execute_process(COMMAND gzip --best --no-name --stdout ${control}/changelog OUTPUT_FILE ${control}/changelog.gz
                RESULT_VARIABLE no_gzip ERROR_QUIET)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} name)
  install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
  if(NOT no_gzip)
    install(FILES ${control}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME}
            COMPONENT ${component} EXCLUDE_FROM_ALL)
  endif()
endforeach()

include(CPack)
