# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs libraries, headers and the CMake package. The program's rule stands with the program.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tomokkos)

# The headers keep their folders.
function(tomokkos_install_libraries export)
  foreach(target IN LISTS ARGN)
    get_target_property(folders ${target} TOMOKKOS_FOLDERS)
    set(file_sets "")
    foreach(folder IN LISTS folders)
      string(REPLACE "/" "_" set ${folder})
      list(APPEND file_sets FILE_SET ${set} DESTINATION ${TOMOKKOS_INSTALL_INCLUDEDIR}/${folder})
    endforeach()
    install(TARGETS ${target} EXPORT ${export} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} ${file_sets})
  endforeach()
endfunction()

tomokkos_install_libraries(TomokkosTargets tomokkos_core tomokkos_files tomokkos_kernels tomokkos_solvers
                           tomokkos_meshes tomokkos_problems)
install(EXPORT TomokkosTargets NAMESPACE Tomokkos:: DESTINATION ${package_dir})
# Apart from the others, so that those can be used where MPI is not.
if(TOMOKKOS_HAVE_MPI)
  tomokkos_install_libraries(TomokkosMpiTargets tomokkos_mpi)
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
