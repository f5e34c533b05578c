# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs at every build: writes the header OUTPUT with the version and the commit of SOURCE if they have changed.
cmake_minimum_required(VERSION 3.25)
set(git unknown)
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(git ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once
#define TOMOKKOS_VERSION_TEXT \"@VERSION@\"
#define TOMOKKOS_GIT_TEXT \"@git@\"
" @ONLY)
