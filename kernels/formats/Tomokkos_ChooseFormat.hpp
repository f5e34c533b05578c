// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <cstddef>
#include <optional>
#include <tuple>

namespace Tomokkos {

/// \brief Statistics of a matrix for the choice of its format, computed by `format_statistics`.
struct FormatStatistics {
  RowStatistics rows;
  Impl::AllFormats::Statistics of_formats;

  /// \brief Returns the statistics of one format, as in `of<SellFormat>().entries`.
  template <class Format>
  typename Format::Statistics& of() {
    return std::get<Impl::PlaceOf<Format, Impl::AllFormats::Types>::value>(of_formats);
  }
  template <class Format>
  const typename Format::Statistics& of() const {
    return std::get<Impl::PlaceOf<Format, Impl::AllFormats::Types>::value>(of_formats);
  }
};

/// \brief Returns the format whose product should be the fastest.
///
/// The cost of a format is the number of bytes it reads divided by its measured share of the
/// bandwidth. CSR, which needs no conversion, is kept unless another format promises to be clearly
/// faster. The variant of CSR and all launch parameters are chosen afterwards, by
/// `choose_spmv_launch` and the corresponding functions of the other formats. The conversion
/// itself, which costs as much as a few to a hundred products, is not considered. Pure function.
///
/// \param device device that runs the products
/// \param statistics statistics of the matrix
/// \param scalar_bytes bytes of a value
/// \param largest_fill maximum ratio of stored entries to nonzeros; empty: the limit of each format
/// \param several_vectors true if products with several vectors at once are planned
FormatOptions choose_format(const DeviceTraits& device, const FormatStatistics& statistics,
                            std::size_t scalar_bytes, std::optional<double> largest_fill = {},
                            bool several_vectors = false);

}  // namespace Tomokkos
