# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs at every build: writes the header OUTPUT with the version and the commit of SOURCE if they have changed.
cmake_minimum_required(VERSION 3.25)
# An archive made by git names its commit here; COMMIT is that of the configuration.
set(git "$Format:%h$")
if(git MATCHES "Format")
  set(git unknown)
endif()
if(COMMIT)
  set(git ${COMMIT})
elseif(EXISTS ${SOURCE}/.git)
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
