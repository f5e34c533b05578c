// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_LaunchConfig.hpp>
#include <Tomokkos_TransposeOptions.hpp>
#include <array>

namespace Tomokkos {

/// \brief True when hosts, or GPUs, have \p variant.
constexpr bool has_transpose_variant(TransposeVariant variant, bool gpu) {
  switch (variant) {
    case TransposeVariant::automatic:
      return true;
    case TransposeVariant::banded:
    case TransposeVariant::scan_trans:
    case TransposeVariant::merge_trans:
      return !gpu;
    case TransposeVariant::claims:
      return gpu;
  }
  return false;
}

/// \brief Every choice of a transposition; a pure function. The result holds no `automatic` and no
/// 0 that its variant would need.
///
/// \param entry_bytes of a column and a value of the matrix
///
/// Throws `Error` for what cannot be run: a variant that the device does not have, numbers that are
/// negative, parts of `merge_trans` that are no power of two.
TransposeOptions choose_transposition(const DeviceTraits& device, const MatrixShape& shape,
                                      std::size_t entry_bytes,
                                      const TransposeOptions& requested = {});

}  // namespace Tomokkos
