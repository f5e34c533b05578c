# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tomokkos_add_tests(<group> [HOST] [OPTIMIZE | SOLVERS] [LABELS <label>...] [THREADS <count>...] [LINK <libraries>...]
#                    TESTS <name>...)
#
# The file of a body may be in any folder of tests/; its name must be unique.
#
# Without HOST: test_<name>.hpp contains the body of a test, written for `TestSpace` (an execution space). All bodies of
# the group are compiled into one executable per backend, test_<group>_<backend>. CTest runs each body separately as
# test_<name>_<backend>. Host backends run each body with 1, 2 and 4 threads, or with the numbers in THREADS, as
# test_<name>_<backend>_<threads>.
# With HOST: test_<name>.cpp does not depend on a backend. The executable is test_<group>_host, the tests are
# test_<name>.
#
# OPTIMIZE: for bodies that run longer than they compile. They are compiled with -O1, all others with -O0.
# SOLVERS: for bodies that include solvers. Their precompiled headers contain the solvers.
#
# Some bodies are compiled together: they share most of what they instantiate. Each lies in a namespace of its own, which
# the generated source adds. Local definitions belong in an unnamed namespace.
set(TOMOKKOS_TEST_BODIES_TOGETHER 4 CACHE STRING "Test bodies that are compiled together; 1: each alone")

# _tomokkos_add_test_main(<target> <optimisation level> [<header>...]): adds `main` and the common dependencies of all
# tests. All executables with the same flags share its precompiled headers, which include the named ones.
function(_tomokkos_add_test_main target level)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/support/test_main.cpp)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/tests/support)
  target_link_libraries(${target} PUBLIC tomokkos_problems tomokkos_test_copies GTest::gtest tomokkos_private_flags)
  target_compile_options(${target} PUBLIC $<$<CONFIG:Release>:${level}>)
  tomokkos_precompile(${target} HEADERS <gtest/gtest.h> <Tomokkos_CsrMatrix.hpp> <Tomokkos_RayTiles.hpp>
                                        <Tomokkos_VectorOps.hpp> ${ARGN})
endfunction()
add_library(tomokkos_test_copies STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/support/CopyBytes.cpp)
target_link_libraries(tomokkos_test_copies PRIVATE tomokkos_core tomokkos_private_flags)
_tomokkos_add_test_main(tomokkos_test_main -O0)
_tomokkos_add_test_main(tomokkos_optimized_test_main -O1)
# A separate library, so that a changed header of the solvers does not recompile the tests of the core.
_tomokkos_add_test_main(tomokkos_solver_test_main -O0 <Tomokkos_MatrixOperator.hpp> <Tomokkos_Pcg.hpp>)

function(tomokkos_add_tests group)
  cmake_parse_arguments(arg "HOST;OPTIMIZE;SOLVERS" "" "LABELS;LINK;TESTS;THREADS" ${ARGN})
  if(NOT arg_THREADS)
    set(arg_THREADS 1 2 4)
  endif()
  set(main tomokkos_test_main)
  if(arg_OPTIMIZE)
    set(main tomokkos_optimized_test_main)
  elseif(arg_SOLVERS)
    set(main tomokkos_solver_test_main)
  endif()
  if(arg_HOST)
    set(sources "")
    foreach(name IN LISTS arg_TESTS)
      tomokkos_find_body(body test_${name}.cpp)
      list(APPEND sources ${body})
    endforeach()
    tomokkos_group_bodies(sources test_${group}_host "" ${sources})
    tomokkos_test_executable(test_${group}_host ${main} "${sources}" "${arg_LINK}")
    foreach(name IN LISTS arg_TESTS)
      _tomokkos_register(test_${name} test_${group}_host ${name} "" "${arg_LABELS}")
    endforeach()
    return()
  endif()
  foreach(backend IN LISTS TOMOKKOS_COMPILED_BACKENDS)
    set(target test_${group}_${backend})
    tomokkos_stamp_bodies(sources ${target} ${backend} ${arg_TESTS})
    tomokkos_test_executable(${target} ${main} "${sources}" "${arg_LINK}")
    foreach(name IN LISTS arg_TESTS)
      if(backend STREQUAL openmp)
        foreach(threads IN LISTS arg_THREADS)
          _tomokkos_register(test_${name}_${backend}_${threads} ${target} ${name} ${threads} "${arg_LABELS}")
        endforeach()
      else()
        _tomokkos_register(test_${name}_${backend} ${target} ${name} "" "${arg_LABELS}")
      endif()
    endforeach()
  endforeach()
endfunction()

# tomokkos_stamp_bodies(<variable> <target> <backend> <name>...): generates the sources that compile the bodies
# test_<name>.hpp for a backend.
function(tomokkos_stamp_bodies variable target backend)
  set(bodies "")
  foreach(name IN LISTS ARGN)
    tomokkos_find_body(body test_${name}.hpp)
    list(APPEND bodies ${body})
  endforeach()
  tomokkos_group_bodies(sources ${target} "#include <Kokkos_Core.hpp>\nusing TestSpace = ${TOMOKKOS_SPACE_OF_${backend}};\n" ${bodies})
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# tomokkos_group_bodies(<variable> <name> <head> <body>...): generates sources that begin with the head and compile some
# bodies each. What the bodies include stands before them, outside their namespaces. A body that includes under a
# condition, or defines macros or a named namespace, has a source of its own; without a head that is the body itself.
function(tomokkos_group_bodies variable name head)
  set(sources "")
  set(group "")
  foreach(body IN LISTS ARGN)
    # The generated source repeats what the body includes.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${body})
    file(READ ${body} text)
    if(TOMOKKOS_TEST_BODIES_TOGETHER LESS 2
       OR text MATCHES "\n *# *define|\n *# *if[^\n]*(TOMOKKOS_TEST_|__has_include|\n *# *include)|\nnamespace [A-Za-z]|struct Tomokkos::")
      if(head STREQUAL "")
        list(APPEND sources ${body})
      else()
        get_filename_component(stem ${body} NAME_WE)
        set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}/${stem}.cpp)
        file(CONFIGURE OUTPUT ${source} CONTENT "${head}#include \"${body}\"\n" @ONLY)
        list(APPEND sources ${source})
      endif()
      continue()
    endif()
    list(APPEND group ${body})
    list(LENGTH group length)
    if(length EQUAL TOMOKKOS_TEST_BODIES_TOGETHER)
      _tomokkos_write_group(source ${name} "${head}" ${group})
      list(APPEND sources ${source})
      set(group "")
    endif()
  endforeach()
  if(group)
    _tomokkos_write_group(source ${name} "${head}" ${group})
    list(APPEND sources ${source})
  endif()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

function(_tomokkos_write_group variable name head)
  set(includes "")
  set(bodies "")
  foreach(body IN LISTS ARGN)
    get_filename_component(stem ${body} NAME_WE)
    get_filename_component(folder ${body} DIRECTORY)
    file(STRINGS ${body} lines REGEX "^ *# *include")
    foreach(line IN LISTS lines)
      # A file beside the body.
      if(line MATCHES "\"(.*)\"")
        set(beside ${folder}/${CMAKE_MATCH_1})
        if(EXISTS ${beside})
          set(line "#include \"${beside}\"")
        endif()
      endif()
      list(APPEND includes ${line})
    endforeach()
    string(APPEND bodies "namespace body_of_${stem} {\n#include \"${body}\"\n}\n")
  endforeach()
  list(REMOVE_DUPLICATES includes)
  list(JOIN includes "\n" includes)
  list(GET ARGN 0 first)
  get_filename_component(first ${first} NAME_WE)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}/from_${first}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "${head}${includes}\n${bodies}" @ONLY)
  set(${variable} ${source} PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE TOMOKKOS_TEST_BODIES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/test_*.?pp)

# tomokkos_find_body(<variable> <file>): path of a body in tests/.
function(tomokkos_find_body variable file)
  set(found ${TOMOKKOS_TEST_BODIES})
  list(FILTER found INCLUDE REGEX "/${file}$")
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "tests/ must hold one file ${file}; found: ${found}")
  endif()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# tomokkos_test_executable(<target> <library with main> <sources> <libraries>)
function(tomokkos_test_executable target main sources libraries)
  add_executable(${target} ${sources})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${main} tomokkos_private_flags ${libraries})
  set(headers ${main})
  if(main STREQUAL tomokkos_mpi_test_main)
    set(headers tomokkos_solver_test_main)
  endif()
  tomokkos_precompile(${target} REUSE_FROM ${headers})
endfunction()

# Waiting threads sleep, so that runs with more threads than cores remain fast. Waking an idle core takes long on
# virtual machines. Therefore `ctest --parallel` counts each test as one processor regardless of its threads: on two
# cores, a pair of tests with four threads takes half as long as one alone.
function(_tomokkos_register test target body threads labels)
  add_test(NAME ${test} COMMAND ${target} --body=${body})
  set(environment "OMP_PROC_BIND=false" "OMP_WAIT_POLICY=passive" "TOMOKKOS_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
  if(threads)
    list(APPEND environment "OMP_NUM_THREADS=${threads}")
  endif()
  set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}" LABELS "${labels}" TIMEOUT 600)
endfunction()
