# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds what the library needs. What only the program or the tests need is found there.
include(TomokkosKokkos)
tomokkos_find_kokkos()
if(TOMOKKOS_KOKKOS_PROBLEM)
  message(FATAL_ERROR "${TOMOKKOS_KOKKOS_PROBLEM}")
endif()

# Optional: a peer in the benchmarks, and an example. It may have been installed without its sparse component.
set(TOMOKKOS_HAVE_KOKKOS_KERNELS OFF)
if(NOT TARGET Kokkos::kokkoskernels AND Kokkos_DIR)
  find_package(KokkosKernels CONFIG QUIET)
endif()
if(TARGET Kokkos::kokkoskernels)
  message(STATUS "Kokkos Kernels ${KokkosKernels_VERSION} from ${KokkosKernels_DIR}")
  set(TOMOKKOS_HAVE_KOKKOS_KERNELS ON)
  # As part of the enclosing project it has no package folder, and then it is taken as complete.
  if(KokkosKernels_DIR)
    find_file(TOMOKKOS_KOKKOS_KERNELS_SPMV KokkosSparse_spmv.hpp NO_DEFAULT_PATH
              PATHS ${KokkosKernels_DIR}/../../.. PATH_SUFFIXES include include/kokkos-kernels)
    mark_as_advanced(TOMOKKOS_KOKKOS_KERNELS_SPMV)
    if(NOT TOMOKKOS_KOKKOS_KERNELS_SPMV)
      message(STATUS "Kokkos Kernels in ${KokkosKernels_DIR} has no sparse component: not used")
      set(TOMOKKOS_HAVE_KOKKOS_KERNELS OFF)
    endif()
  endif()
else()
  message(STATUS "Kokkos Kernels: not found (optional)")
endif()

# Images, zip archives (.npz), and, optionally, HDF5. All three are private to core.
find_package(PNG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
find_package(TomokkosHdf5)
