# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Which parts are built. As part of another project we bring the libraries only. A part that another one needs cannot be
# left out alone.
option(TOMOKKOS_ENABLE_FILES "Build the library files, which reads and writes arrays, matrices and scans" ON)
option(TOMOKKOS_ENABLE_MESHES "Build the library meshes" ${TOMOKKOS_ENABLE_FILES})
# _tomokkos_default(<part>...): these and the project itself being built decide.
function(_tomokkos_default)
  set(default ${PROJECT_IS_TOP_LEVEL})
  foreach(part IN LISTS ARGN)
    if(NOT TOMOKKOS_ENABLE_${part})
      set(default OFF)
    endif()
  endforeach()
  set(default ${default} PARENT_SCOPE)
endfunction()
_tomokkos_default(FILES)
option(TOMOKKOS_ENABLE_PROGRAM "Build the program tomokkos" ${default})
_tomokkos_default(PROGRAM MESHES)
option(TOMOKKOS_ENABLE_BENCH "Build the benchmarks, which `tomokkos bench` runs" ${default})
_tomokkos_default(FILES MESHES)
option(TOMOKKOS_ENABLE_TESTS "Build the tests" ${default})

# tomokkos_part_needs(<part> <why> <other part>...)
function(tomokkos_part_needs part why)
  foreach(other IN LISTS ARGN)
    if(TOMOKKOS_ENABLE_${part} AND NOT TOMOKKOS_ENABLE_${other})
      message(FATAL_ERROR "TOMOKKOS_ENABLE_${part} is ON and TOMOKKOS_ENABLE_${other} is OFF, but ${why}. "
                          "Set the first to OFF or the second to ON.")
    endif()
  endforeach()
endfunction()
tomokkos_part_needs(MESHES "meshes are read from files" FILES)
tomokkos_part_needs(PROGRAM "the program reads and writes files" FILES)
tomokkos_part_needs(BENCH "the benchmarks are run by the program and measure matrices of meshes" PROGRAM MESHES)
tomokkos_part_needs(TESTS "the tests take their data from files, and meshes among them" FILES MESHES)

if(DEFINED TOMOKKOS_ENABLE_DRIVERS)
  message(FATAL_ERROR "TOMOKKOS_ENABLE_DRIVERS is called TOMOKKOS_ENABLE_PROGRAM now")
endif()
