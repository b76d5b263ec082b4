# SPDX-License-Identifier: BSD-3-Clause
# Packages for Debian, one per component of the installation: `make packages`, or cpack in the build folder. The library's
# name has its version, so that several can be installed; the others belong to one version.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME op2)
set(CPACK_PACKAGE_VENDOR "libop2")
set(CPACK_PACKAGE_CONTACT "libop2 developers <libop2@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
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

set(library libop2-${OP2_SOVERSION})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libsleef3")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "openmpi-bin, op2-doc")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Library for computations on unstructured meshes
 Runs programs that are linked with libop2: compiles their loops at run time,
 on threads, MPI ranks and NVIDIA GPUs.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libop2-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${library} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "op2-tools, op2-doc")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers of libop2, for building programs
 Also the packages of CMake and pkg-config, and op2-cxx, which embeds the
 sources of kernels in programs for OP2's developer headers.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME op2-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "python3")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "python3-numpy, python3-h5py, python3-matplotlib, python3-meshio, python3-netcdf4")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "Tools of libop2
 Look into the cache of compiled kernels (op2-jitinspect), predict times on
 many ranks (op2-model), convert meshes (op2-mesh), report runs (op2-report).")

set(CPACK_DEBIAN_DOC_PACKAGE_NAME op2-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DOC_DESCRIPTION "Documentation and examples of libop2
 Pages, the reference of functions, switches and errors, and example programs.")

# Each has the licence where Debian looks for it.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} name)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME} RENAME copyright
          COMPONENT ${component})
endforeach()

include(CPack)
