# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# NCCL, as TomokkosNccl::nccl. Installed next to TomokkosConfig.cmake. Hints: CMAKE_PREFIX_PATH, NCCL_ROOT, NCCL_HOME,
# and the CUDA Toolkit. Some packages contain only libnccl.so.2, without the link that compilers look for.
find_package(CUDAToolkit QUIET)
set(_tomokkos_nccl_hints ${NCCL_ROOT} ENV NCCL_ROOT ${NCCL_HOME} ENV NCCL_HOME)
set(_tomokkos_cuda_folders ${CUDAToolkit_LIBRARY_ROOT} ${CUDAToolkit_TARGET_DIR})
find_path(TomokkosNccl_INCLUDE_DIR nccl.h HINTS ${_tomokkos_nccl_hints} PATHS ${_tomokkos_cuda_folders}
          PATH_SUFFIXES include)
find_library(TomokkosNccl_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${_tomokkos_nccl_hints} PATHS ${_tomokkos_cuda_folders}
             PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE})
mark_as_advanced(TomokkosNccl_INCLUDE_DIR TomokkosNccl_LIBRARY)

set(TomokkosNccl_VERSION "")
if(TomokkosNccl_INCLUDE_DIR)
  foreach(_tomokkos_nccl_part IN ITEMS MAJOR MINOR PATCH)
    file(STRINGS ${TomokkosNccl_INCLUDE_DIR}/nccl.h _tomokkos_nccl_line
         REGEX "^#define NCCL_${_tomokkos_nccl_part} +[0-9]+")
    string(REGEX MATCH "[0-9]+" _tomokkos_nccl_number "${_tomokkos_nccl_line}")
    list(APPEND TomokkosNccl_VERSION ${_tomokkos_nccl_number})
  endforeach()
  list(JOIN TomokkosNccl_VERSION "." TomokkosNccl_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TomokkosNccl REQUIRED_VARS TomokkosNccl_LIBRARY TomokkosNccl_INCLUDE_DIR
                                  VERSION_VAR TomokkosNccl_VERSION)

if(TomokkosNccl_FOUND AND NOT TARGET TomokkosNccl::nccl)
  add_library(TomokkosNccl::nccl UNKNOWN IMPORTED)
  set_target_properties(TomokkosNccl::nccl PROPERTIES
    IMPORTED_LOCATION "${TomokkosNccl_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${TomokkosNccl_INCLUDE_DIR}")
endif()
