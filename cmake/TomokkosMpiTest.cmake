# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tomokkos_add_mpi_tests(<group> [LABELS <label>...] [LINK <libraries>...] TESTS <name>...)
#
# Like tomokkos_add_tests, for bodies that run in several processes: test_<name>.hpp, in which
# `Tomokkos::Testing::world` is the group of all processes. Creates one executable per backend, and one test
# test_<name>_<backend>_ranks<number> for every body and every number of processes in TOMOKKOS_TEST_RANKS.
set(TOMOKKOS_TEST_RANKS "1;2;3" CACHE STRING "Numbers of processes for tests with several processes")
set(TOMOKKOS_CAN_RUN_MPI OFF)
if(TOMOKKOS_HAVE_MPI AND MPIEXEC_EXECUTABLE)
  set(TOMOKKOS_CAN_RUN_MPI ON)
  # Allows more processes than cores, without binding. This is the default of MPICH.
  set(TOMOKKOS_MPIEXEC_FLAGS "")
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE _tomokkos_mpiexec_version ERROR_QUIET)
  if(_tomokkos_mpiexec_version MATCHES "Open MPI|OpenRTE|PRRTE")
    set(TOMOKKOS_MPIEXEC_FLAGS --oversubscribe --bind-to none)
  endif()
elseif(TOMOKKOS_HAVE_MPI)
  message(STATUS "mpiexec was not found: tests with several processes are built but not run")
endif()

if(TOMOKKOS_HAVE_MPI)
  add_library(tomokkos_mpi_test_main STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/mpi/mpi_test_main.cpp)
  target_include_directories(tomokkos_mpi_test_main PUBLIC ${PROJECT_SOURCE_DIR}/tests/support ${PROJECT_SOURCE_DIR}/tests/mpi)
  target_link_libraries(tomokkos_mpi_test_main PUBLIC tomokkos_problems tomokkos_mpi tomokkos_test_copies GTest::gtest
                                                      tomokkos_private_flags)
  target_compile_options(tomokkos_mpi_test_main PUBLIC $<$<CONFIG:Release>:-O0>)
  tomokkos_precompile(tomokkos_mpi_test_main REUSE_FROM tomokkos_solver_test_main)
endif()

function(tomokkos_add_mpi_tests group)
  cmake_parse_arguments(arg "" "" "LABELS;LINK;TESTS" ${ARGN})
  foreach(backend IN LISTS TOMOKKOS_COMPILED_BACKENDS)
    set(target test_${group}_${backend})
    tomokkos_stamp_bodies(sources ${target} ${backend} ${arg_TESTS})
    tomokkos_test_executable(${target} tomokkos_mpi_test_main "${sources}" "${arg_LINK}")
    foreach(name IN LISTS arg_TESTS)
      foreach(ranks IN LISTS TOMOKKOS_TEST_RANKS)
        tomokkos_register_mpi_test(test_${name}_${backend}_ranks${ranks} ${ranks} "${arg_LABELS}"
                                   $<TARGET_FILE:${target}> --body=${name})
      endforeach()
    endforeach()
  endforeach()
endfunction()

# tomokkos_mpi_command(<variable> <ranks> <program> [<argument>...]): command line that starts the program.
function(tomokkos_mpi_command variable ranks)
  set(${variable} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${TOMOKKOS_MPIEXEC_FLAGS} ${MPIEXEC_PREFLAGS}
                  ${ARGN} ${MPIEXEC_POSTFLAGS} PARENT_SCOPE)
endfunction()

# Settings for Open MPI: root may start processes; no warning if processes cannot read each other's memory, as in many
# containers; no search for a network, since all processes run on this machine (ob1); no delay of one second before
# hanging processes are killed; a folder for each test, since two launches that create the usual one together can fail.
function(tomokkos_set_mpi_test_properties test ranks labels)
  set(environment "OMP_NUM_THREADS=1" "OMP_PROC_BIND=false" "OMP_WAIT_POLICY=passive"
                  "TOMOKKOS_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
                  "OMPI_ALLOW_RUN_AS_ROOT=1" "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
                  "OMPI_MCA_btl_vader_single_copy_mechanism=none"
                  "OMPI_MCA_pml=ob1" "OMPI_MCA_odls_base_sigkill_timeout=0"
                  "OMPI_MCA_orte_tmpdir_base=${PROJECT_BINARY_DIR}/mpi_sessions/${test}")
  if(TOMOKKOS_SANITIZERS MATCHES "address")
    list(APPEND environment "ASAN_OPTIONS=detect_leaks=0")  # MPI itself leaks
  endif()
  if(ranks GREATER 2)
    set(ranks 2)
  endif()
  set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}" LABELS "mpi;${labels}" TIMEOUT 300
                                          PROCESSORS ${ranks})
endfunction()

function(tomokkos_register_mpi_test test ranks labels)
  if(TOMOKKOS_CAN_RUN_MPI)
    tomokkos_mpi_command(command ${ranks} ${ARGN})
    add_test(NAME ${test} COMMAND ${command})
    tomokkos_set_mpi_test_properties(${test} ${ranks} "${labels}")
  endif()
endfunction()
