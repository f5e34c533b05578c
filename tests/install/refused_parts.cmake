# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks that each combination of parts that cannot be built is refused before CMake searches for any library. The
# message names both options.
cmake_minimum_required(VERSION 3.25)
# expect(<refused part> <part that it needs> <option>...)
function(expect part needed)
  file(REMOVE_RECURSE ${WORK_DIR})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR} -G ${GENERATOR}
                          -DCMAKE_CXX_COMPILER=${COMPILER} ${ARGN}
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE message)
  string(REGEX REPLACE "[ \n]+" " " message "${message}")
  set(sentence "TOMOKKOS_ENABLE_${part} is ON and TOMOKKOS_ENABLE_${needed} is OFF, but")
  string(FIND "${message}" "${sentence}" position)
  if(status EQUAL 0 OR position EQUAL -1)
    message(SEND_ERROR "${ARGN}: status ${status}, expected \"${sentence}\", got: ${message}")
  endif()
endfunction()
expect(PROGRAM FILES -DTOMOKKOS_ENABLE_FILES=OFF -DTOMOKKOS_ENABLE_PROGRAM=ON)
expect(MESHES FILES -DTOMOKKOS_ENABLE_FILES=OFF -DTOMOKKOS_ENABLE_MESHES=ON)
expect(BENCH PROGRAM -DTOMOKKOS_ENABLE_PROGRAM=OFF -DTOMOKKOS_ENABLE_BENCH=ON)
expect(BENCH MESHES -DTOMOKKOS_ENABLE_MESHES=OFF -DTOMOKKOS_ENABLE_BENCH=ON)
expect(TESTS FILES -DTOMOKKOS_ENABLE_FILES=OFF -DTOMOKKOS_ENABLE_TESTS=ON)
# In a build folder that was configured with all parts, the message lists at once all parts to turn off.
set(on "")
foreach(part IN ITEMS MESHES PROGRAM BENCH TESTS)
  list(APPEND on -DTOMOKKOS_ENABLE_${part}=ON)
  list(APPEND off -DTOMOKKOS_ENABLE_${part}=OFF)
endforeach()
list(JOIN off " " off)
expect(BENCH PROGRAM ${on} -DTOMOKKOS_ENABLE_PROGRAM=OFF)
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
                        ${on} -DTOMOKKOS_ENABLE_FILES=OFF
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE message)
string(REGEX REPLACE "[ \n]+" " " message "${message}")
string(FIND "${message}" "or add: ${off}" position)
if(position EQUAL -1)
  message(SEND_ERROR "expected \"or add: ${off}\", got: ${message}")
endif()
file(REMOVE_RECURSE ${WORK_DIR})
