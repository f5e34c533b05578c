#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ./quickstart.sh        prepares this machine, builds the program, reconstructs a slice, lists the pictures, and builds
#                        the benchmarks
# ./quickstart.sh test   prepares this machine in the same way, builds all tests and runs them
#
# Works from any folder, as root or as an ordinary user. Repeated runs keep what exists already. All results are
# in build/ and out/ of the project; packages are installed only by root. Environment variables:
#   CMAKE_PREFIX_PATH, Kokkos_ROOT   location of an installed Kokkos (default: the usual locations)
#   TOMOKKOS_CACHE                   folder for the download of Kokkos' source (default: build/cache)
#   TOMOKKOS_JOBS                    number of parallel compilations (default: by cores and memory)
#   TOMOKKOS_BENCH_PEERS             libraries that `tomokkos bench` compares with: ON, OFF, or a list (docs/install.md).
#                                    Kept from run to run; at first all but Kokkos Kernels, which compiles for minutes
#   TOMOKKOS_WARNINGS_AS_ERRORS, TOMOKKOS_ASSERTIONS   ON: settings of .ci/run
# shellcheck disable=SC2154  # kokkos_dir, kokkos_prefix are set by choose_kokkos
set -euo pipefail

usage() { sed -n 's/^# \{0,1\}//; 4,15p' "$0"; }
case "${1:-run}" in
  run | test) goal=${1:-run} ;;
  -h | --help) usage; exit 0 ;;
  *) echo "quickstart: unknown argument '$1'" >&2; usage >&2; exit 2 ;;
esac
if (($# > 1)); then
  echo "quickstart: expected at most one argument" >&2
  exit 2
fi

cache=${TOMOKKOS_CACHE:+$(realpath -m "$TOMOKKOS_CACHE")}
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
cd "$root"
cache=${cache:-$root/build/cache}
build=$root/build/openmp
for part in common packages source_package kokkos; do
  # shellcheck source=/dev/null
  source "$root/cmake/quickstart/$part.sh"
done

mkdir -p build
if command -v flock >/dev/null; then
  exec 9>build/.quickstart.lock
  flock -n 9 || { say "another quickstart is running in this folder; waiting for it"; flock 9; }
fi

require_packages "$goal"
choose_ccache
jobs=$(count_jobs)
# An earlier choice of peers is kept.
peers=${TOMOKKOS_BENCH_PEERS:-$(sed -n 's/^TOMOKKOS_BENCH_PEERS:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null || true)}
peers=${peers:-cusparse;eigen;mkl}
case ${peers^^} in ON | TRUE | YES | Y | 1) peers=ON ;; esac
parts=()
if [[ $peers == ON || ";$peers;" == *";kokkos_kernels;"* ]]; then parts=(kokkos-kernels); fi
choose_kokkos "$root/build/kokkos" "$cache" "$jobs" "${parts[@]}"

# A build folder made with another Kokkos is configured from scratch; any other is updated in place.
fresh=()
if [[ -f $build/CMakeCache.txt ]] && ! { grep -qxF "Kokkos_DIR:PATH=$kokkos_dir" "$build/CMakeCache.txt" &&
  grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; }; then
  fresh=(--fresh)
fi
say "configuring in build/openmp"
run_logged build/configure.log cmake --preset openmp "${fresh[@]}" "-DKokkos_DIR:PATH=$kokkos_dir" \
  ${kokkos_prefix:+"-DCMAKE_PREFIX_PATH=$kokkos_prefix"} -DTOMOKKOS_ENABLE_NATIVE=ON \
  -DTOMOKKOS_ENABLE_UNITY=ON "-DTOMOKKOS_BENCH_PEERS=$peers" \
  "-DTOMOKKOS_ASSERTIONS=${TOMOKKOS_ASSERTIONS:-OFF}" \
  "-DTOMOKKOS_WARNINGS_AS_ERRORS=${TOMOKKOS_WARNINGS_AS_ERRORS:-OFF}"
if ((${#parts[@]} == 0)); then
  say "tomokkos bench will not compare with Kokkos Kernels; to add it, run TOMOKKOS_BENCH_PEERS=ON ./quickstart.sh"
fi

if [[ $goal == test ]]; then
  say "building everything with $jobs jobs"
  cmake --build "$build" --parallel "$jobs"
  say "running the tests"
  exec ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(nproc)"
fi

say "building the program with $jobs jobs"
cmake --build "$build" --parallel "$jobs" --target tomokkos
pictures=$root/out/quickstart
say "running build/openmp/bin/tomokkos run configs/quickstart.yaml"
"$build/bin/tomokkos" run configs/quickstart.yaml --output "$pictures"
say "the pictures:"
find "$pictures" -maxdepth 1 -name '*.png' | sort
say "building the benchmarks, for tomokkos bench"
cmake --build "$build" --parallel "$jobs" --target tomokkos_bench_program
say "done"
