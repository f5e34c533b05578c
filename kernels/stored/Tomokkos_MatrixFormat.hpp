// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of formats. It generates everything that exists once per format: the names in
// configurations, reports and benchmarks, the options (`FormatOptions`), the operators, the
// automatic choice of a format, the sizes printed by `tomokkos info`, and the tests that every
// format must pass.
#pragma once

#include <Tomokkos_EnumNames.hpp>

/// \brief Calls `X(name, Format)` for every format: its name and the struct that describes it (see
/// `FormatTraits`).
///
/// If two formats promise the same speed, `choose_format` takes the earlier one.
/// `Tomokkos_Formats.hpp` includes the header of each format.
#define TOMOKKOS_FOR_EACH_FORMAT(X)  \
  X(csr, CsrFormat)                  \
  X(coo, CooFormat)                  \
  X(ell, EllFormat)                  \
  X(ell_r, EllRFormat)               \
  X(hyb, HybFormat)                  \
  X(sell, SellFormat)                \
  X(bcsr, BcsrFormat)                \
  X(ray_tiles, RayTilesFormat)       \
  X(packed_csr, PackedCsrFormat)     \
  X(pair_blocked, PairBlockedFormat) \
  X(dia, DiaFormat)

namespace Tomokkos {

/// \brief Storage formats of a matrix, with the names used in configurations and reports.
enum class MatrixFormat {
#define TOMOKKOS_ENUMERATOR(name, Format) name,
  TOMOKKOS_FOR_EACH_FORMAT(TOMOKKOS_ENUMERATOR)
#undef TOMOKKOS_ENUMERATOR
};

template <>
struct EnumNames<MatrixFormat> {
#define TOMOKKOS_NAME(name, Format) \
  std::pair<MatrixFormat, std::string_view>{MatrixFormat::name, #name},
  static constexpr auto names = std::to_array({TOMOKKOS_FOR_EACH_FORMAT(TOMOKKOS_NAME)});
#undef TOMOKKOS_NAME
};

}  // namespace Tomokkos
