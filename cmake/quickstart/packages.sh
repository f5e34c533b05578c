# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Packages of Debian and Ubuntu for quickstart.sh. Root installs them; other users get the command to run.

# Programs that may come from any source, with the packages that contain them on Debian and Ubuntu.
needed_programs=(c++:build-essential make:build-essential cmake:cmake ninja:ninja-build pkg-config:pkg-config)
needed_packages=(libfmt-dev libyaml-cpp-dev libcli11-dev nlohmann-json3-dev libpng-dev libtiff-dev libhdf5-dev libzip-dev libarchive-dev libgtest-dev)
welcome_packages=(ccache libeigen3-dev libopenmpi-dev openmpi-bin)
# Packages for tests with several processes. Without them these tests are skipped.
mpi_packages=(libopenmpi-dev openmpi-bin)
needed_cmake=3.25

is_debian_like() { command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }

package_is_installed() {
  [[ $(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null) == installed* ]]
}

missing_packages() {
  local entry package
  for entry in "${needed_programs[@]}"; do
    command -v "${entry%%:*}" >/dev/null || echo "${entry##*:}"
  done | sort --unique
  for package in "${needed_packages[@]}"; do
    package_is_installed "$package" || echo "$package"
  done
}

may_install() { ((EUID == 0)); }

install_packages() {
  say "installing: $*"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
  run_logged build/packages.log "${apt[@]}" update
  run_logged build/packages.log "${apt[@]}" install --yes --no-install-recommends "$@"
}

check_programs_elsewhere() {
  local entry missing=()
  for entry in "${needed_programs[@]}"; do
    command -v "${entry%%:*}" >/dev/null || missing+=("${entry%%:*}")
  done
  ((${#missing[@]} == 0)) && return
  fail "this system is neither Debian nor Ubuntu, and these programs are missing: ${missing[*]}" \
    "Install a C++20 compiler, CMake >= $needed_cmake, Ninja, pkg-config, and the development files of" \
    "yaml-cpp, CLI11, nlohmann-json, libpng, libtiff, HDF5, libzip, libarchive and GoogleTest (optional: Eigen, ccache, MPI); then run this again."
}

# Any MPI is accepted, including those of modules and Spack.
has_mpi() { command -v mpicxx >/dev/null && command -v mpiexec >/dev/null; }

# want_mpi GOAL: for the tests, root installs a missing MPI. A failure is not an error.
want_mpi() {
  if [[ $1 != test ]] || has_mpi; then return 0; fi
  local how=''
  if is_debian_like; then
    if may_install; then
      # The subshell keeps a failure from ending the script.
      if (install_packages "${mpi_packages[@]}") && has_mpi; then return 0; fi
    else
      how=" (sudo apt-get install ${mpi_packages[*]})"
    fi
  fi
  say "no MPI: tests with several processes are skipped$how"
}

# require_packages [GOAL]: installs or reports missing packages.
require_packages() {
  if is_debian_like; then
    local missing package
    mapfile -t missing < <(missing_packages)
    if ((${#missing[@]} > 0)); then
      if ! may_install; then
        fail "packages are missing and only root may install them. Run this command, then ./quickstart.sh again:" \
          "  sudo apt-get install ${missing[*]}"
      fi
      for package in "${welcome_packages[@]}"; do
        package_is_installed "$package" || missing+=("$package")
      done
      install_packages "${missing[@]}"
    fi
  else
    check_programs_elsewhere
  fi
  want_mpi "${1:-run}"
  local version
  version=$(cmake --version | awk 'NR == 1 { print $3 }')
  at_least "$version" "$needed_cmake" ||
    fail "CMake $version is too old: $needed_cmake or later is needed, but the packages of this system do not provide it." \
      "Install one from https://cmake.org/download, put it first on PATH, and run ./quickstart.sh again."
}
