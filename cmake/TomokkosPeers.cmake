# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds the libraries that `tomokkos bench` compares with. None is required, and only tomokkos-bench is linked to them.
# Each one found adds a definition TOMOKKOS_BENCH_HAVE_<NAME> to TOMOKKOS_PEER_DEFINITIONS and a library to
# TOMOKKOS_PEER_LIBRARIES.
set(TOMOKKOS_BENCH_PEERS ON CACHE STRING
    "Libraries that `tomokkos bench` compares with if they are found: ON (all), OFF, or a list of names")
set(_tomokkos_known_peers kokkos_kernels cusparse eigen mkl)
set(_tomokkos_peers ${TOMOKKOS_BENCH_PEERS})
if(TOMOKKOS_BENCH_PEERS MATCHES "^(ON|TRUE|YES|Y|1)$")
  set(_tomokkos_peers ${_tomokkos_known_peers})
elseif(TOMOKKOS_BENCH_PEERS MATCHES "^(OFF|FALSE|NO|N|0)?$")
  set(_tomokkos_peers "")
endif()
foreach(_tomokkos_name IN LISTS _tomokkos_peers)
  if(NOT _tomokkos_name IN_LIST _tomokkos_known_peers)
    list(JOIN _tomokkos_known_peers ", " _tomokkos_text)
    message(FATAL_ERROR "TOMOKKOS_BENCH_PEERS names ${_tomokkos_name}; it may be ON, OFF, or a list of ${_tomokkos_text}")
  endif()
endforeach()
set(TOMOKKOS_MKL_ROOT "" CACHE PATH "Folder of Intel MKL (with include/ and lib/); MKLROOT in the environment works too")

set(TOMOKKOS_PEER_DEFINITIONS "")
set(TOMOKKOS_PEER_LIBRARIES "")

macro(_tomokkos_peer name library version)
  list(APPEND TOMOKKOS_PEER_DEFINITIONS TOMOKKOS_BENCH_HAVE_${name})
  list(APPEND TOMOKKOS_PEER_LIBRARIES ${library})
  message(STATUS "Benchmark peer ${library} ${version}")
endmacro()

# Uses the interface with 32-bit integers and the OpenMP runtime of the compiler: two runtimes in one process would
# compete for the cores. Wheels contain only libraries with a version in their names.
function(_tomokkos_find_mkl)
  set(hints ${TOMOKKOS_MKL_ROOT} ENV MKLROOT)
  set(suffixes lib lib/intel64)
  find_path(TOMOKKOS_MKL_INCLUDE_DIR mkl_spblas.h HINTS ${hints} PATH_SUFFIXES include mkl)
  set(threading mkl_gnu_thread)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(threading mkl_intel_thread)
  endif()
  set(libraries "")
  foreach(name mkl_intel_lp64 ${threading} mkl_core)
    find_library(TOMOKKOS_${name}_LIBRARY NAMES ${name} lib${name}.so.3 lib${name}.so.2 HINTS ${hints}
                 PATH_SUFFIXES ${suffixes})
    mark_as_advanced(TOMOKKOS_${name}_LIBRARY)
    if(NOT TOMOKKOS_${name}_LIBRARY)
      return()
    endif()
    list(APPEND libraries ${TOMOKKOS_${name}_LIBRARY})
  endforeach()
  if(NOT TOMOKKOS_MKL_INCLUDE_DIR)
    return()
  endif()
  add_library(tomokkos_mkl INTERFACE)
  target_include_directories(tomokkos_mkl SYSTEM INTERFACE ${TOMOKKOS_MKL_INCLUDE_DIR})
  # The libraries load each other at run time, so all of them must be linked even if no symbol appears to be used.
  target_link_libraries(tomokkos_mkl INTERFACE -Wl,--push-state,--no-as-needed ${libraries} -Wl,--pop-state
                                               ${CMAKE_DL_LIBS})
endfunction()

if("kokkos_kernels" IN_LIST _tomokkos_peers AND TOMOKKOS_HAVE_KOKKOS_KERNELS)
  _tomokkos_peer(KOKKOS_KERNELS Kokkos::kokkoskernels "${KokkosKernels_VERSION}")
endif()

if("cusparse" IN_LIST _tomokkos_peers AND "cuda" IN_LIST TOMOKKOS_COMPILED_BACKENDS)
  find_package(CUDAToolkit QUIET)
  if(TARGET CUDA::cusparse)
    _tomokkos_peer(CUSPARSE CUDA::cusparse "of CUDA ${CUDAToolkit_VERSION}")
    # For whole iterations and vector operations.
    if(TARGET CUDA::cublas)
      _tomokkos_peer(CUBLAS CUDA::cublas "of CUDA ${CUDAToolkit_VERSION}")
    endif()
  endif()
endif()

if("eigen" IN_LIST _tomokkos_peers)
  find_package(Eigen3 3.3 CONFIG QUIET)
  if(TARGET Eigen3::Eigen)
    _tomokkos_peer(EIGEN Eigen3::Eigen "${Eigen3_VERSION}")
  endif()
endif()

if("mkl" IN_LIST _tomokkos_peers)
  _tomokkos_find_mkl()
  mark_as_advanced(TOMOKKOS_MKL_INCLUDE_DIR)
  if(TARGET tomokkos_mkl)
    _tomokkos_peer(MKL tomokkos_mkl "in ${TOMOKKOS_MKL_INCLUDE_DIR}")
  endif()
endif()
