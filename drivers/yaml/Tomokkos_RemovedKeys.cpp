// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_RemovedKeys.hpp>

namespace Tomokkos {

namespace {

/// A removed key, or a removed value of a key.
struct Removed {
  std::string_view path, value;  // value: empty if the whole key is gone
  std::string_view message;
};

constexpr std::string_view no_library =
    "library is available only in tomokkos bench, which compares with Kokkos Kernels; use "
    "automatic or another variant";

constexpr Removed removed[] = {
    {"operator.variant", "library", no_library},
    {"operator.transpose_variant", "library", no_library},
    {"operator.symmetry", "",
     "the key is gone; operator.format: scsr stores one ray of each orbit, in the format "
     "operator.stored_format"},
    {"solver.stop.monotone_error", "",
     "is no longer a rule; use discrepancy, which takes the same keys"},
};

}  // namespace

std::string_view successor_of(std::string_view path, std::string_view value) {
  for (const Removed& each : removed)
    if (each.path == path && each.value == value) return each.message;
  return {};
}

}  // namespace Tomokkos
