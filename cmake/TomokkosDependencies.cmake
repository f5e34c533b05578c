# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds what the library needs. What only the program or the tests need is found there.
include(TomokkosKokkos)
tomokkos_find_kokkos()
if(TOMOKKOS_KOKKOS_PROBLEM)
  message(FATAL_ERROR "${TOMOKKOS_KOKKOS_PROBLEM}")
endif()

# Optional: a peer in the benchmarks.
if(NOT TARGET Kokkos::kokkoskernels AND Kokkos_DIR)
  find_package(KokkosKernels CONFIG QUIET)
endif()
if(TARGET Kokkos::kokkoskernels)
  message(STATUS "Kokkos Kernels ${KokkosKernels_VERSION} from ${KokkosKernels_DIR}")
else()
  message(STATUS "Kokkos Kernels: not found (optional)")
endif()

# Images, zip archives (.npz), and, optionally, HDF5. All three are private to core.
find_package(PNG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
find_package(TomokkosHdf5)
