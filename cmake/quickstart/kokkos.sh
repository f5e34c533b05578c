# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Chooses the Kokkos for quickstart.sh: an installed one, otherwise one built from the distribution's source package
# `trilinos`, which contains Kokkos (folder kokkos) and Kokkos Kernels (kokkos-kernels).
# shellcheck disable=SC2034,SC2154  # names shared with the other parts

# Sets found_version, found_dir, found_devices; empty if CMake finds no Kokkos.
probe_kokkos() {
  local where=build/kokkos-probe
  found_version='' found_dir='' found_devices=''
  rm -rf "$where"
  mkdir -p "$where"
  cmake -S cmake/quickstart/probe -B "$where" -G Ninja >"$where/log" 2>&1 </dev/null || true
  [[ -f $where/kokkos.txt ]] || return 0
  { read -r found_version; read -r found_dir; read -r found_devices; } <"$where/kokkos.txt"
}

# kokkos_architecture CPUINFO: prints the option of Kokkos for this processor, or nothing if none fits. SKX requires
# `rtm`, since Kokkos 3.4 then uses transactional memory, which most processors with AVX-512 no longer have. Our kernels
# are compiled for the local processor in any case.
kokkos_architecture() {
  local info=$1 vendor flags
  vendor=$(awk -F': ' '/^vendor_id/ { print $2; exit }' "$info" 2>/dev/null || true)
  flags=" $(awk -F': ' '/^(flags|Features)/ { print $2; exit }' "$info" 2>/dev/null || true) "
  has() {
    local flag
    for flag in "$@"; do [[ $flags == *" $flag "* ]] || return 1; done
  }
  if [[ $vendor == AuthenticAMD ]] && has avx2 fma bmi2 adx clzero; then
    if has vaes vpclmulqdq pku; then echo ZEN3
    elif has clwb rdpid; then echo ZEN2
    else echo ZEN; fi
  elif has avx512f avx512cd avx512bw avx512dq avx512vl clwb rtm; then echo SKX
  elif has avx2 fma bmi1 bmi2 f16c movbe abm; then echo HSW
  elif has asimd atomics; then echo ARMV81
  elif has asimd; then echo ARMV80; fi
}

# options_of PART PREFIX ARCHITECTURE: prints the options for a part of the source package, one per line.
options_of() {
  if [[ $1 == kokkos ]]; then
    echo "-DKokkos_ENABLE_OPENMP=ON"
    echo "-DKokkos_ENABLE_SERIAL=ON"  # only a small test uses it
    if [[ -n $3 ]]; then echo "-DKokkos_ARCH_$3=ON"; fi
  else
    # Only the headers of Kokkos Kernels are needed, so nothing is instantiated in advance.
    local type
    echo "-DKokkos_DIR=$2/lib/cmake/Kokkos"
    for type in DOUBLE ORDINAL_INT OFFSET_INT OFFSET_SIZE_T LAYOUTLEFT; do
      echo "-DKokkosKernels_INST_$type=OFF"
    done
  fi
}

# build_kokkos PREFIX CACHE JOBS [PART...]: builds Kokkos, and its sparse kernels if a PART is kokkos-kernels. Parts
# that PREFIX already contains are kept.
build_kokkos() {
  local prefix=$1 cache=$2 jobs=$3 work=$1-build arch part
  shift 3
  arch=$(kokkos_architecture /proc/cpuinfo)
  local recipe="OpenMP Serial ${arch:-generic} $prefix"
  if [[ -d $prefix && ! (-f $prefix/recipe && $(<"$prefix/recipe") == "$recipe") ]]; then rm -rf "$prefix"; fi
  local missing=()
  for part in kokkos "$@"; do
    [[ -f $prefix/$part.built ]] || missing+=("$part")
  done
  ((${#missing[@]} > 0)) || return 0

  fetch_source_package trilinos "$cache"
  rm -rf "$work"
  mkdir -p "$work" "$prefix"
  say "unpacking ${missing[*]}"
  tar --extract --file "$source_archive" --directory "$work" --strip-components 2 --wildcards \
    "${missing[@]/#/*/packages/}"
  local common=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_EXTENSIONS=OFF
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON "-DCMAKE_INSTALL_PREFIX=$prefix" -DCMAKE_INSTALL_LIBDIR=lib)
  command -v ccache >/dev/null && common+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  local options
  for part in "${missing[@]}"; do
    mapfile -t options < <(options_of "$part" "$prefix" "$arch")
    say "building $part (OpenMP, ${arch:-no special architecture})"
    run_logged "$work/$part.log" cmake -S "$work/$part" -B "$work/b-$part" "${common[@]}" "${options[@]}"
    run_logged "$work/$part.log" cmake --build "$work/b-$part" --parallel "$jobs" --target install
    touch "$prefix/$part.built"
  done
  rm -rf "$work"
  echo "$recipe" >"$prefix/recipe"
}

how_to_get_kokkos() {
  fail "no usable Kokkos (>= 3.4, < 6, with OpenMP) is installed, and $1." \
    "Install one and run this again, for example:" \
    "  spack install kokkos +openmp && spack load kokkos" \
    "  conda install -c conda-forge kokkos" \
    "  or from its source: cmake -B b -DKokkos_ENABLE_OPENMP=ON -DCMAKE_INSTALL_PREFIX=... && cmake --build b -t install," \
    "  and name the prefix: CMAKE_PREFIX_PATH=... ./quickstart.sh" \
    "See docs/install.md for details, also about CUDA."
}

# choose_kokkos PREFIX CACHE JOBS [PART...]: sets kokkos_dir, and kokkos_prefix if it is the private one in PREFIX.
choose_kokkos() {
  kokkos_prefix=''
  probe_kokkos
  if [[ -n $found_dir ]]; then
    local described="Kokkos $found_version in $found_dir (devices: $found_devices)"
    if ! at_least "$found_version" 3.4 || at_least "$found_version" 6; then
      say "not used, since its version must be >= 3.4 and < 6: $described"
    elif [[ ";$found_devices;" != *";OPENMP;"* ]]; then
      say "not used, since it has no OpenMP: $described"
    else
      say "using the installed $described"
      kokkos_dir=$found_dir
      return
    fi
  fi
  is_debian_like || how_to_get_kokkos "a source package to build is available only on Debian and Ubuntu"
  build_kokkos "$@"
  kokkos_prefix=$1
  kokkos_dir=$1/lib/cmake/Kokkos
  local version
  version=$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' "$kokkos_dir/KokkosConfigVersion.cmake" | head -n 1)
  say "using Kokkos $version (OpenMP), built from the distribution's source package, in ${1#"$root"/}"
}
