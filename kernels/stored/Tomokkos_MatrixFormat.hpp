// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of formats. Everything that exists once per format is made from it: the names in
// configurations, reports and benchmarks, the options (`FormatOptions`), the operators, the choice
// of a format, the sizes that `tomokkos info` prints, and the tests that hold for every format.
#pragma once

#include <Tomokkos_EnumNames.hpp>

/// \brief Calls `X(name, Format)` for every format: its name, and the struct that describes it (see
/// `FormatTraits`). Where two formats promise the same speed `choose_format` takes the earlier one.
/// `Tomokkos_Formats.hpp` includes the header of each.
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

/// \brief The formats in which a matrix is stored, by the names that configurations and reports
/// use.
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
