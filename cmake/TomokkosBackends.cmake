# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# All backends, one line each: device of Kokkos, execution space, name in configurations, and where it runs. There is
# no other list. "THREADS Kokkos::Threads threads host", "HIP Kokkos::HIP hip gpu" and "SYCL Kokkos::SYCL sycl gpu"
# would add three more, which were never compiled or tested.
set(TOMOKKOS_KNOWN_BACKENDS
  "OPENMP Kokkos::OpenMP openmp host"
  "SERIAL Kokkos::Serial serial host"
  "CUDA Kokkos::Cuda cuda gpu")

set(TOMOKKOS_BACKENDS "" CACHE STRING
    "Backends to compile, for example openmp;serial; empty: one for the host, and the GPU of Kokkos")

# TOMOKKOS_COMPILED_BACKENDS: names of the backends to compile. Hosts come first, since a run on a GPU uses one as well.
set(TOMOKKOS_COMPILED_BACKENDS "")
set(_tomokkos_devices ${Kokkos_DEVICES})
if(NOT _tomokkos_devices)  # Kokkos is a part of the enclosing project
  foreach(_tomokkos_backend IN LISTS TOMOKKOS_KNOWN_BACKENDS)
    string(REGEX MATCH "^[A-Z]+" _tomokkos_device ${_tomokkos_backend})
    if(Kokkos_ENABLE_${_tomokkos_device})
      list(APPEND _tomokkos_devices ${_tomokkos_device})
    endif()
  endforeach()
endif()
set(_tomokkos_available "")
foreach(_tomokkos_place IN ITEMS host gpu)
  foreach(_tomokkos_backend IN LISTS TOMOKKOS_KNOWN_BACKENDS)
    separate_arguments(_tomokkos_backend)
    list(GET _tomokkos_backend 0 _tomokkos_device)
    list(GET _tomokkos_backend 1 _tomokkos_space)
    list(GET _tomokkos_backend 2 _tomokkos_name)
    list(GET _tomokkos_backend 3 _tomokkos_where)
    set(TOMOKKOS_SPACE_OF_${_tomokkos_name} ${_tomokkos_space})
    if(NOT _tomokkos_where STREQUAL _tomokkos_place OR NOT _tomokkos_device IN_LIST _tomokkos_devices)
      continue()
    endif()
    list(APPEND _tomokkos_available ${_tomokkos_name})
    if(_tomokkos_name IN_LIST TOMOKKOS_BACKENDS
       OR (NOT TOMOKKOS_BACKENDS AND (_tomokkos_place STREQUAL gpu OR NOT TOMOKKOS_COMPILED_BACKENDS)))
      list(APPEND TOMOKKOS_COMPILED_BACKENDS ${_tomokkos_name})
    endif()
  endforeach()
  if(NOT TOMOKKOS_COMPILED_BACKENDS)
    message(FATAL_ERROR "Tomokkos needs a backend for the host, OpenMP or Serial. TOMOKKOS_BACKENDS: "
                        "'${TOMOKKOS_BACKENDS}'; the Kokkos in ${Kokkos_DIR} has: ${_tomokkos_devices}")
  endif()
endforeach()
foreach(_tomokkos_name IN LISTS TOMOKKOS_BACKENDS)
  if(NOT _tomokkos_name IN_LIST _tomokkos_available)
    list(JOIN _tomokkos_available ", " _tomokkos_available)
    message(FATAL_ERROR "TOMOKKOS_BACKENDS: the Kokkos in ${Kokkos_DIR} has no '${_tomokkos_name}'; it has: "
                        "${_tomokkos_available}")
  endif()
endforeach()

if(TOMOKKOS_REQUIRE_CUDA AND NOT "cuda" IN_LIST TOMOKKOS_COMPILED_BACKENDS)
  message(FATAL_ERROR "TOMOKKOS_REQUIRE_CUDA is on, but TOMOKKOS_BACKENDS leaves cuda out: '${TOMOKKOS_BACKENDS}'")
endif()

# tomokkos_write_spaces(<file> <backend>...): writes the header that lists execution spaces for C++. The first one is
# that of the host.
function(tomokkos_write_spaces file)
  set(plain "")
  set(with "")
  set(named "")
  set(memory "")
  set(memory_with "")
  set(has_host FALSE)
  foreach(name IN LISTS ARGN)
    set(space ${TOMOKKOS_SPACE_OF_${name}})
    string(APPEND plain " X(${space})")
    string(APPEND with " X(${space}, __VA_ARGS__)")
    string(APPEND named " X(${space}, \"${name}\")")
    # All backends of the host share its memory.
    string(REGEX MATCH " ${name} host" on_host "${TOMOKKOS_KNOWN_BACKENDS}")
    if(NOT on_host OR NOT has_host)
      string(APPEND memory " X(${space}::memory_space)")
      string(APPEND memory_with " X(${space}::memory_space, __VA_ARGS__)")
    endif()
    if(on_host)
      set(has_host TRUE)
    endif()
  endforeach()
  list(GET ARGN 0 host)
  list(TRANSFORM TOMOKKOS_KNOWN_BACKENDS REPLACE "^[^ ]+ [^ ]+ ([^ ]+) .*" "\"\\1\"" OUTPUT_VARIABLE known)
  list(JOIN known ", " known)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution spaces for which the libraries are compiled. Written by cmake/TomokkosBackends.cmake.
#pragma once

#include <Kokkos_Core.hpp>

/// \\brief Execution space of the host: the first compiled one.
#define TOMOKKOS_HOST_SPACE ${TOMOKKOS_SPACE_OF_${host}}
/// \\brief Expands X(execution space) for every compiled backend.
#define TOMOKKOS_FOR_EACH_SPACE(X)${plain}
/// \\brief Expands X(execution space, ...) for every compiled backend.
#define TOMOKKOS_FOR_EACH_SPACE_WITH(X, ...)${with}
/// \\brief Expands X(memory space) for the memory of every compiled backend, each once.
#define TOMOKKOS_FOR_EACH_MEMORY(X)${memory}
/// \\brief Expands X(memory space, ...) for the memory of every compiled backend, each once.
#define TOMOKKOS_FOR_EACH_MEMORY_WITH(X, ...)${memory_with}
/// \\brief Expands X(execution space, name) for every compiled backend.
#define TOMOKKOS_FOR_EACH_BACKEND(X)${named}
/// \\brief Names of all backends, also of those that are not compiled.
#define TOMOKKOS_KNOWN_BACKENDS ${known}
")
endfunction()

set(TOMOKKOS_SPACES ${PROJECT_BINARY_DIR}/include/Tomokkos_Spaces.hpp)
tomokkos_write_spaces(${TOMOKKOS_SPACES} ${TOMOKKOS_COMPILED_BACKENDS})
list(JOIN TOMOKKOS_COMPILED_BACKENDS ", " _tomokkos_compiled)
message(STATUS "Tomokkos: backends ${_tomokkos_compiled}")
