# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets TOMOKKOS_CLANG to a Clang that compiles and links C++20 with std::source_location (Clang 15 or later) and OpenMP,
# or to an empty value.
set(TOMOKKOS_CLANG "")
set(probe ${CMAKE_CURRENT_BINARY_DIR}/clang_probe)
file(CONFIGURE OUTPUT ${probe}.cpp CONTENT "#include <omp.h>

#include <source_location>
int main() { return std::source_location::current().line() == 0 || omp_get_max_threads() == 0; }
")
set(names clang++)
foreach(version RANGE 15 24)
  list(PREPEND names clang++-${version})
endforeach()
foreach(name IN LISTS names)
  find_program(TOMOKKOS_FOUND_${name} ${name})
  mark_as_advanced(TOMOKKOS_FOUND_${name})
  if(TOMOKKOS_FOUND_${name})
    execute_process(COMMAND ${TOMOKKOS_FOUND_${name}} -std=c++20 -fopenmp ${probe}.cpp -o ${probe}
                    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(TOMOKKOS_CLANG ${TOMOKKOS_FOUND_${name}})
      break()
    endif()
  endif()
endforeach()
if(NOT TOMOKKOS_CLANG)
  message(STATUS "Clang 15 or later with OpenMP: not found (optional); the headers are not tested with it")
endif()
