// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseFormat.hpp>

namespace Tomokkos {
namespace {

// Largest cost, relative to CSR, at which a matrix is converted to another format. The measured
// shares of the bandwidth are accurate to a few per cent only.
constexpr double worth_converting = 0.97;

// Packed rows make no offer. On hosts they should, for stencils: with a cost of 2 bytes and a value
// per stored entry (4.3 if the entries form runs), and a share of the bandwidth that is still to be
// measured. On a GPU, ray tiles serve scans from equally few bytes.

template <class Format>
auto offers_of(const FormatChoiceInput& matrix, const FormatStatistics& statistics) {
  if constexpr (requires { typename Format::Statistics; })
    return Format::offers(matrix, statistics.of<Format>());
  else if constexpr (requires { Format::offers(matrix); })
    return Format::offers(matrix);
  else
    return std::vector<Offer<typename Format::Options>>();
}

}  // namespace

FormatOptions choose_format(const DeviceTraits& device, const FormatStatistics& statistics,
                            std::size_t scalar_bytes, std::optional<double> largest_fill,
                            bool several_vectors) {
  FormatOptions best = CsrOptions{};
  if (statistics.rows.nonzeros == 0) return best;
  const FormatChoiceInput matrix{device, statistics.rows, scalar_bytes, largest_fill,
                                 several_vectors};
  double lowest = worth_converting * CsrFormat::cost(matrix);
  for_each_format([&]<class Format>() {
    for (const auto& offer : offers_of<Format>(matrix, statistics))
      if (offer.cost < lowest) {
        lowest = offer.cost;
        best = offer.options;
      }
  });
  return best;
}

}  // namespace Tomokkos
