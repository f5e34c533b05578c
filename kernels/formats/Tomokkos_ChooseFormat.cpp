// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseFormat.hpp>

namespace Tomokkos {
namespace {

// What another format must promise, as a share of the time of CSR, before a matrix is converted:
// the shares of the bandwidth are good to some per cent.
constexpr double worth_converting = 0.97;

// Packed rows make no offer. On hosts they should, for stencils: with a cost of their stored
// entries of 2 bytes and a value each (4.3 where they stand in runs), and the share of the
// bandwidth that is to be measured there. On a GPU ray tiles serve scans from as few bytes.

template <class Format>
auto offers_of(const FormatCase& matrix, const FormatStatistics& statistics) {
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
  const FormatCase matrix{device, statistics.rows, scalar_bytes, largest_fill, several_vectors};
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
