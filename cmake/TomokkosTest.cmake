# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tomokkos_add_test(<name> [HOST] [LABELS <label>...] [LINK <libraries>...])
#
# Without HOST: tests/test_<name>.hpp holds the bodies, written against `TestSpace` (an execution space). One executable
# test_<name>_<backend> is stamped out per backend; host backends run it with 1, 2 and 4 threads.
# With HOST: tests/test_<name>.cpp is an ordinary test that does not depend on a backend.
set(TOMOKKOS_BACKENDS "")
if("OPENMP" IN_LIST Kokkos_DEVICES)
  list(APPEND TOMOKKOS_BACKENDS OpenMP)
elseif("SERIAL" IN_LIST Kokkos_DEVICES)
  list(APPEND TOMOKKOS_BACKENDS Serial)
endif()
if("CUDA" IN_LIST Kokkos_DEVICES)
  list(APPEND TOMOKKOS_BACKENDS Cuda)
endif()

add_library(tomokkos_test_main STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/test_main.cpp)
target_link_libraries(tomokkos_test_main PUBLIC tomokkos_core GTest::gtest tomokkos_private_flags)

function(tomokkos_add_test name)
  cmake_parse_arguments(arg "HOST" "" "LABELS;LINK" ${ARGN})
  if(arg_HOST)
    _tomokkos_test_executable(test_${name} ${CMAKE_CURRENT_SOURCE_DIR}/test_${name}.cpp "${arg_LINK}")
    _tomokkos_register(test_${name} test_${name} "" "${arg_LABELS}")
    return()
  endif()
  foreach(backend IN LISTS TOMOKKOS_BACKENDS)
    _tomokkos_stamp(${name} ${backend} target source)
    _tomokkos_test_executable(${target} ${source} "${arg_LINK}")
    if(backend STREQUAL OpenMP)
      foreach(threads 1 2 4)
        _tomokkos_register(${target}_${threads} ${target} ${threads} "${arg_LABELS}")
      endforeach()
    else()
      _tomokkos_register(${target} ${target} "" "${arg_LABELS}")
    endif()
  endforeach()
endfunction()

# The name of the executable that runs test_<name>.hpp on a backend, and its source, which is written here.
function(_tomokkos_stamp name backend target_variable source_variable)
  string(TOLOWER ${backend} suffix)
  set(target test_${name}_${suffix})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
    "#include <Kokkos_Core.hpp>\nusing TestSpace = Kokkos::${backend};\n#include \"test_${name}.hpp\"\n")
  set(${target_variable} ${target} PARENT_SCOPE)
  set(${source_variable} ${source} PARENT_SCOPE)
endfunction()

function(_tomokkos_test_executable target source link)
  add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE tomokkos_test_main tomokkos_solvers tomokkos_private_flags ${link})
endfunction()

# PROCESSORS keeps `ctest --parallel` from running more threads than asked for; passive waiting keeps runs with more
# threads than cores quick.
function(_tomokkos_register test target threads labels)
  add_test(NAME ${test} COMMAND ${target})
  set(environment "OMP_PROC_BIND=false" "OMP_WAIT_POLICY=passive" "TOMOKKOS_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
  if(threads)
    list(APPEND environment "OMP_NUM_THREADS=${threads}")
    set_tests_properties(${test} PROPERTIES PROCESSORS ${threads})
  endif()
  set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}" LABELS "${labels}" TIMEOUT 600)
endfunction()
