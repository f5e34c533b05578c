# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds Kokkos, or uses the one of the enclosing project, and checks its version. `find_package(Kokkos 3.4...<6)` is not
# possible, since the version file of Kokkos 3.4 rejects ranges. This file is also installed next to
# TomokkosConfig.cmake, which uses it as well.
#
# A macro, because the package of Kokkos sets variables and properties of the calling directory. Sets
# TOMOKKOS_KOKKOS_PROBLEM to a description of the problem, or to an empty string.
macro(tomokkos_find_kokkos)
  set(TOMOKKOS_KOKKOS_PROBLEM "")
  if(NOT TARGET Kokkos::kokkos)
    find_package(Kokkos CONFIG ${ARGN})
  endif()
  if(NOT TARGET Kokkos::kokkos)
    string(CONCAT TOMOKKOS_KOKKOS_PROBLEM
      "Tomokkos needs Kokkos (>= 3.4, < 6), and none was found. Name the folder of an installed one with "
      "-DCMAKE_PREFIX_PATH=... or -DKokkos_ROOT=..., or run ./quickstart.sh; see docs/install.md.")
  elseif(Kokkos_VERSION AND (Kokkos_VERSION VERSION_LESS 3.4 OR Kokkos_VERSION VERSION_GREATER_EQUAL 6))
    set(TOMOKKOS_KOKKOS_PROBLEM
        "Tomokkos needs Kokkos >= 3.4 and < 6; found ${Kokkos_VERSION} in ${Kokkos_DIR}")
  elseif(Kokkos_COMPILE_LANGUAGE AND NOT Kokkos_COMPILE_LANGUAGE STREQUAL CXX)
    string(CONCAT TOMOKKOS_KOKKOS_PROBLEM
      "The Kokkos in ${Kokkos_DIR} was built with Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON, which makes every source "
      "that uses it a ${Kokkos_COMPILE_LANGUAGE} source. Tomokkos needs one built without that option.")
  endif()
endmacro()
