#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# test_quickstart_parts.sh PROJECT: tests the parts of quickstart.sh with samples from other machines.
# shellcheck disable=SC2034,SC2317  # used by the functions under test
set -euo pipefail
root=$1
for part in common packages source_package kokkos; do
  # shellcheck source=/dev/null
  source "$root/cmake/quickstart/$part.sh"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
expect() {
  if [[ $2 != "$3" ]]; then
    printf 'FAILED %s\n  expected: %q\n  got:      %q\n' "$1" "$3" "$2"
    failures=$((failures + 1))
  fi
}

# --- Processors ---
architecture_of() {
  printf 'vendor_id\t: %s\nflags\t\t: %s\n' "$1" "$2" >"$work/cpuinfo"
  kokkos_architecture "$work/cpuinfo"
}
haswell="avx2 fma bmi1 bmi2 f16c movbe abm"
skylake="$haswell avx512f avx512cd avx512bw avx512dq avx512vl clwb"
expect "AVX-512 with TSX" "$(architecture_of GenuineIntel "fpu $skylake rtm")" SKX
expect "AVX-512 without TSX" "$(architecture_of GenuineIntel "fpu $skylake")" HSW
expect "AVX2" "$(architecture_of GenuineIntel "fpu $haswell rtm")" HSW
expect "old Intel" "$(architecture_of GenuineIntel "fpu sse2 avx")" ""
expect "Zen" "$(architecture_of AuthenticAMD "$haswell adx clzero")" ZEN
expect "Zen 2" "$(architecture_of AuthenticAMD "$haswell adx clzero clwb rdpid")" ZEN2
expect "Zen 3" "$(architecture_of AuthenticAMD "$haswell adx clzero clwb rdpid vaes vpclmulqdq pku")" ZEN3
expect "old AMD" "$(architecture_of AuthenticAMD "sse2 avx")" ""
printf 'processor\t: 0\nFeatures\t: fp asimd atomics\n' >"$work/cpuinfo"
expect "64-bit Arm" "$(kokkos_architecture "$work/cpuinfo")" ARMV81
expect "no such file" "$(kokkos_architecture "$work/none")" ""

# --- apt sources ---
cat >"$work/a.list" <<'END'
# deb http://mirror.example/commented main
deb [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] http://mirror.example/debian stable main universe
deb-src [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] http://mirror.example/debian stable main universe
deb cdrom:[Disc 1]/ stable main
  deb	http://mirror.example/security stable-security main
END
expect "one-line sources" "$(one_line_sources "$work/a.list")" \
"deb-src [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] http://mirror.example/debian stable main universe
deb-src	http://mirror.example/security stable-security main"

cat >"$work/a.sources" <<'END'
Types: deb
# a comment within
URIs: http://mirror.example/debian
Suites: stable stable-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
 -----END PGP PUBLIC KEY BLOCK-----

types: deb deb-src
URIs: http://mirror.example/security
Suites: stable-security
Components: main
Signed-By: /usr/share/keyrings/x.gpg

Enabled: no
Types: deb
URIs: http://mirror.example/off
Suites: stable
Components: main
END
expect "deb822 sources" "$(deb822_sources "$work/a.sources")" \
"Types: deb-src
URIs: http://mirror.example/debian
Suites: stable stable-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc
 -----END PGP PUBLIC KEY BLOCK-----

Types: deb-src
URIs: http://mirror.example/security
Suites: stable-security
Components: main
Signed-By: /usr/share/keyrings/x.gpg"

# --- Packages and versions ---
dpkg-query() { [[ ${!#} == libpng-dev ]] && echo installed; }
needed_packages=(libpng-dev libno-such-thing-dev)
needed_programs=(bash:bash no-such-program:no-such-package)
expect "missing packages" "$(missing_packages | tr '\n' ' ')" "no-such-package libno-such-thing-dev "
expect "ordinary users are told what to install" \
  "$( (apt-get() { :; }; may_install() { false; }; require_packages) 2>&1 | tail -n 1)" \
  "quickstart:   sudo apt-get install no-such-package libno-such-thing-dev"
unset -f dpkg-query

# --- MPI, which is optional ---
# wanted GOAL HAS_MPI MAY_INSTALL INSTALLATION: prints the messages and the installed packages.
wanted() {
  (
    mpi_there=$2 may=$3 works=$4
    is_debian_like() { true; }
    may_install() { $may; }
    install_packages() {
      echo "installs $*"
      $works || fail "no network"
      touch "$work/mpi"
    }
    has_mpi() { $mpi_there || [[ -e $work/mpi ]]; }
    rm -f "$work/mpi"
    want_mpi "$1" 2>&1
    echo "goes on"
  )
}
expect "tests, as root, without MPI" "$(wanted test false true true)" \
"installs libopenmpi-dev openmpi-bin
goes on"
expect "tests, with MPI" "$(wanted test true true true)" "goes on"
expect "the first run needs no MPI" "$(wanted run false true true)" "goes on"
expect "MPI cannot be installed" "$(wanted test false true false)" \
"installs libopenmpi-dev openmpi-bin
quickstart: no network
quickstart: no MPI: tests with several processes are skipped
goes on"
expect "tests, as an ordinary user, without MPI" "$(wanted test false false true)" \
"quickstart: no MPI: tests with several processes are skipped (sudo apt-get install libopenmpi-dev openmpi-bin)
goes on"
expect "equal versions" "$(at_least 3.25 3.25 && echo yes)" yes
expect "3.4.01 is enough" "$(at_least 3.4.01 3.4 && echo yes)" yes
expect "3.22 is older than 3.25" "$(at_least 3.22.1 3.25 || echo no)" no
expect "4.10 is younger than 4.7" "$(at_least 4.10 4.7 && echo yes)" yes

((failures == 0)) && echo "all as expected"
exit $((failures > 0))
