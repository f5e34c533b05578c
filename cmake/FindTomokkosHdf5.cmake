# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The C library of HDF5 without MPI, as TomokkosHdf5::hdf5. CMake's own FindHDF5 would require the language C in every
# project that links Tomokkos. Installed next to TomokkosConfig.cmake. Hints: CMAKE_PREFIX_PATH, HDF5_ROOT.
find_path(TomokkosHdf5_INCLUDE_DIR hdf5.h HINTS ${HDF5_ROOT} ENV HDF5_ROOT
          PATH_SUFFIXES include include/hdf5/serial hdf5/serial)
find_library(TomokkosHdf5_LIBRARY NAMES hdf5_serial hdf5 HINTS ${HDF5_ROOT} ENV HDF5_ROOT
             PATH_SUFFIXES lib hdf5/serial)
mark_as_advanced(TomokkosHdf5_INCLUDE_DIR TomokkosHdf5_LIBRARY)

set(TomokkosHdf5_PARALLEL FALSE)
if(TomokkosHdf5_INCLUDE_DIR)
  file(GLOB _tomokkos_hdf5_settings ${TomokkosHdf5_INCLUDE_DIR}/H5pubconf*.h)
  foreach(_tomokkos_hdf5_file IN LISTS _tomokkos_hdf5_settings)
    file(STRINGS ${_tomokkos_hdf5_file} _tomokkos_hdf5_parallel REGEX "^#define H5_HAVE_PARALLEL 1")
    if(_tomokkos_hdf5_parallel)
      set(TomokkosHdf5_PARALLEL TRUE)
    endif()
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
if(TomokkosHdf5_PARALLEL)
  set(TomokkosHdf5_FOUND FALSE)
  message(STATUS "HDF5 in ${TomokkosHdf5_INCLUDE_DIR} needs MPI, which is not supported; built without HDF5")
else()
  find_package_handle_standard_args(TomokkosHdf5 REQUIRED_VARS TomokkosHdf5_LIBRARY TomokkosHdf5_INCLUDE_DIR)
endif()

if(TomokkosHdf5_FOUND AND NOT TARGET TomokkosHdf5::hdf5)
  add_library(TomokkosHdf5::hdf5 UNKNOWN IMPORTED)
  set_target_properties(TomokkosHdf5::hdf5 PROPERTIES
    IMPORTED_LOCATION "${TomokkosHdf5_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${TomokkosHdf5_INCLUDE_DIR}")
endif()
