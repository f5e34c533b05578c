# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs libraries, headers and the CMake package. The program's rule stands with the program.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tomokkos)

install(TARGETS tomokkos_core tomokkos_kernels tomokkos_solvers tomokkos_meshes
        EXPORT TomokkosTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${TOMOKKOS_INSTALL_INCLUDEDIR})
install(EXPORT TomokkosTargets NAMESPACE Tomokkos:: DESTINATION ${package_dir})
# Apart from the others, so that those can be used where MPI is not.
if(TOMOKKOS_HAVE_MPI)
  install(TARGETS tomokkos_mpi
          EXPORT TomokkosMpiTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          FILE_SET HEADERS DESTINATION ${TOMOKKOS_INSTALL_INCLUDEDIR})
  install(EXPORT TomokkosMpiTargets NAMESPACE Tomokkos:: DESTINATION ${package_dir})
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/TomokkosConfig.cmake.in ${PROJECT_BINARY_DIR}/TomokkosConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/TomokkosConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/TomokkosConfig.cmake
        ${PROJECT_BINARY_DIR}/TomokkosConfigVersion.cmake
        ${PROJECT_SOURCE_DIR}/cmake/TomokkosKokkos.cmake
        ${PROJECT_SOURCE_DIR}/cmake/FindTomokkosHdf5.cmake
        ${PROJECT_SOURCE_DIR}/cmake/FindTomokkosNccl.cmake
  DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/tomokkos)
