# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Flags of our own targets, and how a library of ours is declared. Nothing here is global, and nothing is exported but
# what a user of the libraries must have.
set(TOMOKKOS_HAVE_CUDA OFF)
if(Kokkos_ENABLE_CUDA OR "CUDA" IN_LIST Kokkos_DEVICES)
  set(TOMOKKOS_HAVE_CUDA ON)
endif()
if(TOMOKKOS_REQUIRE_CUDA AND NOT TOMOKKOS_HAVE_CUDA)
  message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} has no CUDA backend (its devices: ${Kokkos_DEVICES}). Name one that "
                      "has with -DCMAKE_PREFIX_PATH=...; docs/install.md says how to get it.")
endif()

# Kokkos with CUDA sends every compilation through its own launcher to nvcc_wrapper; a second launcher in between would
# hide the compiler from it.
if(TOMOKKOS_HAVE_CUDA)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    message(STATUS "Compiler launcher ${CMAKE_CXX_COMPILER_LAUNCHER}: not used, since Kokkos has CUDA")
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER "")
elseif(TOMOKKOS_ENABLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TOMOKKOS_CCACHE ccache)
  mark_as_advanced(TOMOKKOS_CCACHE)
  if(TOMOKKOS_CCACHE)
    # Without these allowances ccache does not look at sources that use a precompiled header. It takes the list of
    # headers from the compiler, where it would preprocess every source once more.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 ${TOMOKKOS_CCACHE})
  endif()
endif()

add_library(tomokkos_private_flags INTERFACE)
target_compile_options(tomokkos_private_flags INTERFACE -Wall -Wextra)
if(TOMOKKOS_WARNINGS_AS_ERRORS)
  target_compile_options(tomokkos_private_flags INTERFACE
    -Werror $<$<BOOL:${TOMOKKOS_HAVE_CUDA}>:-Werror=all-warnings>)
endif()
if(TOMOKKOS_ASSERTIONS)
  # CMake defines NDEBUG for optimised builds; this comes later on the command line.
  target_compile_options(tomokkos_private_flags INTERFACE -UNDEBUG)
endif()
if(TOMOKKOS_SANITIZERS)
  target_compile_options(tomokkos_private_flags INTERFACE
    -fsanitize=${TOMOKKOS_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(tomokkos_private_flags INTERFACE -fsanitize=${TOMOKKOS_SANITIZERS})
endif()
if(TOMOKKOS_ENABLE_FUZZING)
  # Clang 14 has no std::source_location.
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
    message(FATAL_ERROR "TOMOKKOS_ENABLE_FUZZING needs Clang 15 or later, which brings libFuzzer; the compiler is "
                        "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}. Name one, for example with "
                        "-DCMAKE_CXX_COMPILER=clang++-16.")
  endif()
  target_compile_options(tomokkos_private_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(tomokkos_private_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Comes after the flags of Kokkos on the command line, so the processor at hand wins over the one Kokkos was built for.
# (nvcc_wrapper hands both to the host compiler.)
add_library(tomokkos_native_flags INTERFACE)
if(TOMOKKOS_ENABLE_NATIVE)
  target_compile_options(tomokkos_native_flags INTERFACE -march=native -mtune=native)
endif()

# tomokkos_precompile(<target> [REUSE_FROM <other target> | HEADERS <header>...])
# Parses Kokkos, the standard library and HEADERS once for all sources of <target>. A target with the same flags can use
# the precompiled header of another. nvcc_wrapper cannot precompile headers, and the check of headers does without.
function(tomokkos_precompile target)
  cmake_parse_arguments(arg "" "REUSE_FROM" "HEADERS" ${ARGN})
  if(NOT TOMOKKOS_ENABLE_PCH OR TOMOKKOS_HAVE_CUDA OR NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    return()
  endif()
  if(arg_REUSE_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_REUSE_FROM})
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits> <map> <memory> <numeric>
    <optional> <set> <sstream> <stdexcept> <string> <string_view> <type_traits> <utility> <vector>
    <Kokkos_Core.hpp> ${arg_HEADERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # So that ccache sees through a precompiled header.
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# tomokkos_compile_in_groups(<target> <number>)
# Compiles so many sources at a time where TOMOKKOS_ENABLE_UNITY is on. The number is small where a source alone takes
# seconds, so that a rebuild after one change stays quick. CMAKE_UNITY_BUILD_BATCH_SIZE overrides it.
function(tomokkos_compile_in_groups target number)
  if(CMAKE_UNITY_BUILD_BATCH_SIZE)
    set(number ${CMAKE_UNITY_BUILD_BATCH_SIZE})
  endif()
  if(TOMOKKOS_ENABLE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${number})
  endif()
endfunction()

# tomokkos_source_folders(<variable>)
# The current folder and the folders in it, as far as they hold headers; without the folders `impl`, which belong to the
# folder they lie in.
function(tomokkos_source_folders variable)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  set(folders "")
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH folder)
    string(REGEX REPLACE "/impl$" "" folder ${folder})
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${variable} ${folders} PARENT_SCOPE)
endfunction()

# tomokkos_add_library(<component> [NATIVE] [GROUPS_OF <number>] [LINK <public libraries>...]
#                      [LINK_PRIVATE <libraries>...])
# A static library tomokkos_<component> (alias Tomokkos::<component>) of the .cpp files of the current folder and of the
# folders in it. Each folder has a file set of its own: headers are included without their folder, and installed into it
# (TomokkosInstall.cmake). NATIVE: the library holds kernels, which TOMOKKOS_ENABLE_NATIVE compiles for the processor at
# hand.
function(tomokkos_add_library component)
  cmake_parse_arguments(arg "NATIVE" "GROUPS_OF" "LINK;LINK_PRIVATE" ${ARGN})
  set(target tomokkos_${component})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(${target} STATIC ${sources})
  add_library(Tomokkos::${component} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${component}
    LINKER_LANGUAGE CXX
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    VERIFY_INTERFACE_HEADER_SETS ON)
  tomokkos_source_folders(folders)
  foreach(folder IN LISTS folders)
    file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.hpp ${folder}/impl/*.hpp)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE destination)
    string(REPLACE "/" "_" set ${destination})
    target_sources(${target} PUBLIC FILE_SET ${set} TYPE HEADERS BASE_DIRS ${folder} FILES ${headers})
    set_property(TARGET ${target} APPEND PROPERTY TOMOKKOS_FOLDERS ${destination})
    list(FILTER headers EXCLUDE REGEX "/impl/|CudaCompat")
    set_property(TARGET ${target} APPEND PROPERTY TOMOKKOS_HEADERS ${headers})
  endforeach()
  # Tomokkos.hpp includes the headers of the parts that are linked.
  string(TOUPPER ${component} part)
  target_compile_definitions(${target} INTERFACE TOMOKKOS_LINKS_${part})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${arg_LINK}
                        PRIVATE ${arg_LINK_PRIVATE} $<BUILD_INTERFACE:tomokkos_private_flags>)
  set(first tomokkos_core)
  if(arg_NATIVE)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tomokkos_native_flags>)
    if(TOMOKKOS_ENABLE_NATIVE)  # without it the kernels have the flags of the core
      set(first tomokkos_kernels)
    endif()
  endif()
  if(target STREQUAL first)
    tomokkos_precompile(${target})
  else()
    tomokkos_precompile(${target} REUSE_FROM ${first})
  endif()
  if(arg_GROUPS_OF)
    tomokkos_compile_in_groups(${target} ${arg_GROUPS_OF})
  endif()
endfunction()

# tomokkos_add_program(<target> <name> <library> <source>): in bin/ of the build folder, and installed.
function(tomokkos_add_program target name library source)
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE ${library} tomokkos_private_flags)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin LINKER_LANGUAGE CXX CXX_EXTENSIONS OFF)
  if(TOMOKKOS_ENABLE_INSTALL)
    install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()

# tomokkos_forbid_contraction(<source>...)
# Keeps the compiler from fusing a * b + c in these sources of the current folder, on hosts and on devices: their
# results must be the same bits on every backend.
function(tomokkos_forbid_contraction)
  set(flags "")
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang|IntelLLVM")
    list(APPEND flags -ffp-contract=off)
  endif()
  # GCC 12 still makes fused add-subtract pairs of neighbouring expressions.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND flags -fno-tree-slp-vectorize)
  endif()
  if(TOMOKKOS_HAVE_CUDA)
    list(APPEND flags --fmad=false)
  endif()
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${flags})
  set_property(SOURCE ${ARGN} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# tomokkos_apply_cuda_compat(<target>)
# CUDA 13 changed signatures that Kokkos before 4.7.1 calls. The old ones, as overloads, are included before everything
# else in the sources of <target> and of whatever uses it, here and after installation.
function(tomokkos_apply_cuda_compat target)
  if(NOT TOMOKKOS_HAVE_CUDA OR Kokkos_VERSION VERSION_GREATER_EQUAL 4.7.1)
    return()
  endif()
  find_package(CUDAToolkit QUIET)
  if(CUDAToolkit_VERSION VERSION_LESS 13)
    return()
  endif()
  set(header core/base/Tomokkos_CudaCompat.hpp)
  set(built ${PROJECT_SOURCE_DIR}/${header})
  set(installed $<INSTALL_PREFIX>/${TOMOKKOS_INSTALL_INCLUDEDIR}/${header})
  target_compile_options(${target} PUBLIC
    "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include \"${built}\">>"
    "$<INSTALL_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include \"${installed}\">>")
endfunction()
