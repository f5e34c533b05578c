# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Flags of our own targets, and functions that declare libraries. Nothing is global, and only what users of the
# libraries need is exported.
set(TOMOKKOS_HAVE_CUDA OFF)
if(Kokkos_ENABLE_CUDA OR "CUDA" IN_LIST Kokkos_DEVICES)
  set(TOMOKKOS_HAVE_CUDA ON)
endif()
if(TOMOKKOS_REQUIRE_CUDA AND NOT TOMOKKOS_HAVE_CUDA)
  message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} has no CUDA backend (its devices: ${Kokkos_DEVICES}). Name one that "
                      "has it with -DCMAKE_PREFIX_PATH=...; docs/install.md explains how to get one.")
endif()

# Kokkos with CUDA passes every compilation through its own launcher to nvcc_wrapper. A second launcher in between would
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
    # Without these settings ccache does not cache sources with a precompiled header. CCACHE_DEPEND takes the list of
    # headers from the compiler, which avoids preprocessing every source again.
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
  # CMake defines NDEBUG for optimised builds; this option follows it on the command line.
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

# This option follows the flags of Kokkos on the command line, so the local processor takes precedence over the one for
# which Kokkos was built. (nvcc_wrapper passes both to the host compiler.)
add_library(tomokkos_native_flags INTERFACE)
if(TOMOKKOS_ENABLE_NATIVE)
  target_compile_options(tomokkos_native_flags INTERFACE -march=native -mtune=native)
endif()

# tomokkos_precompile(<target> [REUSE_FROM <other target> | HEADERS <header>... | ONLY <header>...])
# Compiles Kokkos, the standard library and HEADERS, or the headers ONLY, once for all sources of <target>. Targets with
# the same flags can share a precompiled header. nvcc_wrapper cannot precompile headers.
function(tomokkos_precompile target)
  cmake_parse_arguments(arg "" "REUSE_FROM" "HEADERS;ONLY" ${ARGN})
  if(NOT TOMOKKOS_ENABLE_PCH OR TOMOKKOS_HAVE_CUDA OR NOT CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    return()
  endif()
  if(arg_REUSE_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_REUSE_FROM})
    return()
  endif()
  set(headers
    <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <limits> <map> <memory> <numeric>
    <optional> <set> <sstream> <stdexcept> <string> <string_view> <type_traits> <utility> <vector>
    <Kokkos_Core.hpp> ${arg_HEADERS})
  if(arg_ONLY)
    set(headers ${arg_ONLY})
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Needed by ccache for precompiled headers.
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# tomokkos_compile_in_groups(<target> <number>)
# Compiles this number of sources at a time if TOMOKKOS_ENABLE_UNITY is on. The number is small for sources that take
# seconds each, so that a rebuild after one change remains fast. CMAKE_UNITY_BUILD_BATCH_SIZE overrides it.
function(tomokkos_compile_in_groups target number)
  if(CMAKE_UNITY_BUILD_BATCH_SIZE)
    set(number ${CMAKE_UNITY_BUILD_BATCH_SIZE})
  endif()
  if(TOMOKKOS_ENABLE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${number})
  endif()
endfunction()

# tomokkos_source_folders(<variable> [<left out>])
# Lists the current folder and its subfolders if they contain headers. Folders `impl` belong to their parent folder and
# are not listed, nor is the subfolder <left out>.
function(tomokkos_source_folders variable)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  set(folders "")
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH folder)
    string(REGEX REPLACE "/impl$" "" folder ${folder})
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  if(ARGN)
    list(REMOVE_ITEM folders ${CMAKE_CURRENT_SOURCE_DIR}/${ARGN})
  endif()
  set(${variable} ${folders} PARENT_SCOPE)
endfunction()

# tomokkos_add_library(<component> [NATIVE] [GROUPS_OF <number>] [WITHOUT <subfolder>] [LINK <public libraries>...]
#                      [LINK_PRIVATE <libraries>...])
# Adds a static library tomokkos_<component> (alias Tomokkos::<component>) of the .cpp files in the current folder and
# its subfolders. Each folder has its own file set: headers are included without their folder and installed into it
# (TomokkosInstall.cmake). NATIVE: the library contains kernels, which TOMOKKOS_ENABLE_NATIVE compiles for the local
# processor.
function(tomokkos_add_library component)
  cmake_parse_arguments(arg "NATIVE" "GROUPS_OF;WITHOUT" "LINK;LINK_PRIVATE" ${ARGN})
  set(target tomokkos_${component})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(arg_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${arg_WITHOUT}/")
  endif()
  add_library(${target} STATIC ${sources})
  add_library(Tomokkos::${component} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${component}
    LINKER_LANGUAGE CXX
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON)
  tomokkos_source_folders(folders ${arg_WITHOUT})
  foreach(folder IN LISTS folders)
    file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.hpp ${folder}/impl/*.hpp)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE destination)
    string(REPLACE "/" "_" set ${destination})
    target_sources(${target} PUBLIC FILE_SET ${set} TYPE HEADERS BASE_DIRS ${folder} FILES ${headers})
    set_property(TARGET ${target} APPEND PROPERTY TOMOKKOS_FOLDERS ${destination})
    set_property(TARGET ${target} APPEND PROPERTY TOMOKKOS_ALL_HEADERS ${headers})
    list(FILTER headers EXCLUDE REGEX "/impl/|CudaCompat")
    set_property(TARGET ${target} APPEND PROPERTY TOMOKKOS_HEADERS ${headers})
  endforeach()
  # Tomokkos.hpp includes the headers of the linked parts.
  string(TOUPPER ${component} part)
  target_compile_definitions(${target} INTERFACE TOMOKKOS_LINKS_${part})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${arg_LINK}
                        PRIVATE ${arg_LINK_PRIVATE} $<BUILD_INTERFACE:tomokkos_private_flags>)
  set(first tomokkos_core)
  if(arg_NATIVE)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tomokkos_native_flags>)
    if(TOMOKKOS_ENABLE_NATIVE)  # otherwise the kernels have the flags of the core
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

# tomokkos_add_program(<target> <name> <library> <source>): adds an installed program, built in bin/ of the build
# folder.
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
# Prevents the compiler from fusing a * b + c in these sources of the current folder, on hosts and devices: their
# results must have the same bits on every backend.
function(tomokkos_forbid_contraction)
  set(flags "")
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang|IntelLLVM")
    list(APPEND flags -ffp-contract=off)
  endif()
  # GCC 12 would still fuse add-subtract pairs of neighbouring expressions.
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
# CUDA 13 changed signatures that Kokkos before 4.7.1 calls. A header with the old ones as overloads is included before
# everything else in the sources of <target> and its users, also after installation.
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
