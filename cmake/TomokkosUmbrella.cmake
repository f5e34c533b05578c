# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes Tomokkos.hpp, which includes every public header of the parts that a program links.
set(content "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Includes every public header of the linked parts. CMake defines a macro for each part.
#pragma once
")
foreach(component IN ITEMS core kernels solvers files problems meshes mpi)
  if(NOT TARGET tomokkos_${component})
    continue()
  endif()
  string(TOUPPER ${component} part)
  string(APPEND content "\n#if defined(TOMOKKOS_LINKS_${part})\n")
  get_target_property(headers tomokkos_${component} TOMOKKOS_HEADERS)
  foreach(header IN LISTS headers)
    cmake_path(GET header FILENAME name)
    string(APPEND content "#include <${name}>\n")
  endforeach()
  string(APPEND content "#endif\n")
endforeach()
set(TOMOKKOS_UMBRELLA ${PROJECT_BINARY_DIR}/include/Tomokkos.hpp)
file(CONFIGURE OUTPUT ${TOMOKKOS_UMBRELLA} CONTENT "${content}" @ONLY)
target_sources(tomokkos_core PUBLIC
  FILE_SET generated TYPE HEADERS BASE_DIRS ${PROJECT_BINARY_DIR}/include FILES ${TOMOKKOS_UMBRELLA})
