# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs libraries, headers and the CMake package. The program is installed by its own folder.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tomokkos)

# Headers keep their folders.
function(tomokkos_install_libraries export)
  foreach(target IN LISTS ARGN)
    get_target_property(folders ${target} TOMOKKOS_FOLDERS)
    set(file_sets "")
    if(target STREQUAL tomokkos_core)
      set(file_sets FILE_SET generated DESTINATION ${TOMOKKOS_INSTALL_INCLUDEDIR})
    endif()
    foreach(folder IN LISTS folders)
      string(REPLACE "/" "_" set ${folder})
      list(APPEND file_sets FILE_SET ${set} DESTINATION ${TOMOKKOS_INSTALL_INCLUDEDIR}/${folder})
    endforeach()
    install(TARGETS ${target} EXPORT ${export} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} ${file_sets})
  endforeach()
endfunction()

tomokkos_install_libraries(TomokkosTargets tomokkos_core tomokkos_kernels tomokkos_solvers)
install(EXPORT TomokkosTargets NAMESPACE Tomokkos:: DESTINATION ${package_dir})
# Exported separately, so that the other libraries can be used without the dependencies of these.
if(TOMOKKOS_ENABLE_FILES)
  set(file_targets tomokkos_files tomokkos_problems)
  if(TOMOKKOS_ENABLE_MESHES)
    list(APPEND file_targets tomokkos_meshes)
  endif()
  tomokkos_install_libraries(TomokkosFilesTargets ${file_targets})
  install(EXPORT TomokkosFilesTargets NAMESPACE Tomokkos:: DESTINATION ${package_dir})
endif()
if(TOMOKKOS_HAVE_MPI)
  tomokkos_install_libraries(TomokkosMpiTargets tomokkos_mpi)
  install(EXPORT TomokkosMpiTargets NAMESPACE Tomokkos:: DESTINATION ${package_dir})
endif()

# Libraries that the package must find again for the library files.
set(TOMOKKOS_FILES_USE "")
if(TOMOKKOS_ENABLE_FILES)
  get_target_property(uses tomokkos_files TOMOKKOS_USES)
  if(uses)
    set(TOMOKKOS_FILES_USE ${uses})
  endif()
endif()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/TomokkosConfig.cmake.in ${PROJECT_BINARY_DIR}/TomokkosConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/TomokkosConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/TomokkosConfig.cmake
        ${PROJECT_BINARY_DIR}/TomokkosConfigVersion.cmake
        ${PROJECT_SOURCE_DIR}/cmake/TomokkosKokkos.cmake
        ${PROJECT_SOURCE_DIR}/cmake/FindTomokkosHdf5.cmake
        ${PROJECT_SOURCE_DIR}/cmake/FindTomokkosNccl.cmake
  DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/tomokkos)
