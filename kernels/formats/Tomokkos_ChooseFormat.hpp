// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <cstddef>
#include <optional>
#include <tuple>

namespace Tomokkos {

/// \brief Figures of a matrix from which its format is chosen; `format_statistics` finds them.
struct FormatStatistics {
  RowStatistics rows;
  Impl::AllFormats::Statistics of_formats;

  /// \brief Figures of one format, as in `of<SellFormat>().entries`.
  template <class Format>
  typename Format::Statistics& of() {
    return std::get<Impl::PlaceOf<Format, Impl::AllFormats::Types>::value>(of_formats);
  }
  template <class Format>
  const typename Format::Statistics& of() const {
    return std::get<Impl::PlaceOf<Format, Impl::AllFormats::Types>::value>(of_formats);
  }
};

/// \brief The format whose product should be the fastest: the bytes that each one reads over the
/// share of the bandwidth that it was measured to reach. CSR, which needs no conversion, unless
/// another one promises to be clearly faster. The variant of CSR and all launch numbers are chosen
/// afterwards, by `choose_spmv_launch` and its like.
///
/// A pure function, as `choose_spmv_launch`. The conversion itself is not weighed: it costs some to
/// a hundred products.
///
/// \param largest_fill stored entries over nonzeros that no choice exceeds; nothing: the limit of
/// each format
/// \param several_vectors products with several vectors at once are meant
FormatOptions choose_format(const DeviceTraits& device, const FormatStatistics& statistics,
                            std::size_t scalar_bytes, std::optional<double> largest_fill = {},
                            bool several_vectors = false);

}  // namespace Tomokkos
