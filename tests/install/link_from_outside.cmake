# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs EXAMPLE: a folder whose program has the same name, or the folder `examples`, whose tests are run.
# HOW is one of:
# - `installed`: installs BUILD_DIR into WORK_DIR/prefix and finds the package there.
# - `subdirectory`: the example adds the source tree itself, with the smallest set of parts. With Ninja, its program is
#   compiled but not linked: the libraries have the sources of the main build, and take minutes.
# - `parts`: the example adds the source tree with all libraries, and only the library files is built.
cmake_minimum_required(VERSION 3.25)
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "status ${status} from: ${command}")
  endif()
endfunction()

cmake_path(GET EXAMPLE FILENAME program)
set(settings -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE})
if(SANITIZERS)
  string(APPEND FLAGS " -fsanitize=${SANITIZERS}")
endif()
if(FLAGS)
  list(APPEND settings "-DCMAKE_CXX_FLAGS=${FLAGS}")
endif()

file(REMOVE_RECURSE ${WORK_DIR})
if(HOW STREQUAL installed)
  set(prefix ${WORK_DIR}/prefix)
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
  # A header or a target file that still points into our source or build folder would hide a missing file.
  file(GLOB_RECURSE package_files ${prefix}/lib*/cmake/Tomokkos/*.cmake)
  if(NOT package_files)
    message(FATAL_ERROR "no CMake package under ${prefix}")
  endif()
  foreach(file IN LISTS package_files)
    file(READ ${file} text)
    string(FIND "${text}" "${SOURCE_DIR}/core" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names the source folder")
    endif()
  endforeach()
  list(APPEND settings -DCMAKE_PREFIX_PATH=${prefix} -DKokkos_DIR=${KOKKOS_DIR})
else()
  # The example compiles our libraries again. Without optimisation and in large groups, this takes a fifth of the time.
  list(APPEND settings -DTOMOKKOS_SOURCE=${SOURCE_DIR} -DKokkos_DIR=${KOKKOS_DIR} -DCMAKE_BUILD_TYPE=None
       -DTOMOKKOS_ENABLE_PCH=ON -DTOMOKKOS_ENABLE_UNITY=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8)
endif()
if(HOW STREQUAL subdirectory)
  # The smallest set needs only Kokkos and the headers of fmt.
  list(APPEND settings -DTOMOKKOS_ENABLE_FILES=OFF -DTOMOKKOS_ENABLE_MPI=OFF)
  foreach(package IN ITEMS PNG TIFF ZLIB PkgConfig TomokkosHdf5 MPI KokkosKernels)
    list(APPEND settings -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
  endforeach()
endif()

run(${CMAKE_COMMAND} -S ${EXAMPLE} -B ${WORK_DIR}/build -G ${GENERATOR} ${settings})
if(HOW STREQUAL parts)
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --parallel 2 --target tomokkos_files)
  return()
endif()
if(HOW STREQUAL subdirectory AND GENERATOR STREQUAL "Ninja")
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --parallel 2 --target tomokkos_core)
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --target CMakeFiles/${program}.dir/main.cpp.o)
  return()
endif()
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --parallel 2)
if(program STREQUAL "examples")
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK_DIR}/build --output-on-failure --no-tests=error)
else()
  run(${WORK_DIR}/build/${program})
endif()
