# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds what the library needs. The version of Kokkos is checked here: 3.4's own version file refuses ranges.
find_package(Kokkos CONFIG REQUIRED)
if(Kokkos_VERSION VERSION_LESS 3.4 OR Kokkos_VERSION VERSION_GREATER_EQUAL 6)
  message(FATAL_ERROR "Tomokkos needs Kokkos >= 3.4 and < 6; found ${Kokkos_VERSION} in ${Kokkos_DIR}")
endif()
message(STATUS "Kokkos ${Kokkos_VERSION} from ${Kokkos_DIR}, devices: ${Kokkos_DEVICES}")
find_package(KokkosKernels CONFIG QUIET)

find_package(PNG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
find_package(HDF5 COMPONENTS C)
