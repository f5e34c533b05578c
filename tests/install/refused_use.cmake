# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks what an installed Tomokkos refuses when a project is configured or compiled, and that the message says what to
# change.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# configure(<option>...): sets `status` and `text`.
macro(configure)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/install/refused_use -B ${WORK_DIR}/build -G ${GENERATOR}
                          -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix} -DKokkos_DIR=${KOKKOS_DIR} ${ARGN}
                  RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
endmacro()
macro(compile)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build
                  RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
endmacro()
function(expect_failure what expected)
  if(status EQUAL 0 OR NOT text MATCHES "${expected}")
    message(SEND_ERROR "${what}: status ${status}, expected \"${expected}\", got: ${text}")
  endif()
endfunction()

# A component that does not exist; one that is optional is just not found.
configure(-DCOMPONENT=solver)
expect_failure("unknown component" "has no component 'solver'.*core, kernels, solvers, files, problems, meshes, mpi")
configure(-DCOMPONENT=solvers)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "components that exist: ${text}")
endif()

# An execution space that was not compiled, in each of four uses.
compile()
if(NOT status EQUAL 0)
  message(FATAL_ERROR "a space that was compiled: ${text}")
endif()
configure(-DREFUSED=ON)
compile()
expect_failure("other space" "CMake option TOMOKKOS_BACKENDS")
foreach(use IN ITEMS 1 2 3 4)
  expect_failure("use ${use}" "CompiledSpace<Elsewhere<${use}> ?>")
endforeach()

# One sentence for each argument of a wrong type.
configure(-DREFUSED=OFF -DWRONG_ARGUMENTS=ON)
compile()
foreach(argument IN ITEMS matrix data solution monitor)
  expect_failure("${argument} of a wrong type" "The ${argument} of solve ")
endforeach()
file(REMOVE_RECURSE ${WORK_DIR})
