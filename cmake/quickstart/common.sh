# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Helpers for all parts of quickstart.sh.

say() { printf 'quickstart: %s\n' "$*"; }

fail() {
  printf 'quickstart: %s\n' "$@" >&2
  exit 1
}

# run_logged LOG COMMAND...: writes the output of COMMAND to LOG and shows its end if COMMAND fails.
run_logged() {
  local log=$1
  shift
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 40 "$log" >&2
    fail "command failed: $*" "its complete output is in $log"
  fi
}

# Number of parallel compilations: one per core, and at least 1.5 GiB of memory for each.
count_jobs() {
  if [[ -n ${TOMOKKOS_JOBS:-} ]]; then
    echo "$TOMOKKOS_JOBS"
    return
  fi
  local cores by_memory
  cores=$(nproc)
  by_memory=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo 2>/dev/null) || true
  by_memory=${by_memory:-$cores}
  local jobs=$((by_memory < cores ? by_memory : cores))
  echo $((jobs < 1 ? 1 : jobs))
}

# Without a writable home directory, ccache stores its results in the build folder.
choose_ccache() {
  if command -v ccache >/dev/null && [[ -z ${CCACHE_DIR:-} && ! -w ${HOME:-/nonexistent} ]]; then
    export CCACHE_DIR=$PWD/build/cache/ccache
  fi
}

# at_least VERSION WANTED: true if VERSION is WANTED or later.
at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort --version-sort | head -n 1) == "$2" ]]; }
