// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace Tomokkos {

template <class Scalar>
LineIntegrals<Scalar> transmission_to_line_integrals(const std::vector<Scalar>& data,
                                                     const std::vector<Scalar>& white,
                                                     const std::vector<Scalar>& dark,
                                                     double smallest_transmission) {
  require(smallest_transmission > 0 && smallest_transmission < 1,
          "the smallest transmission must lie between 0 and 1");
  const std::size_t columns = white.size();
  if (!dark.empty()) {
    require_equal("length of the dark field", static_cast<long long>(dark.size()),
                  "the length of the white field", static_cast<long long>(columns));
  }
  const std::size_t rest = columns == 0 ? data.size() : data.size() % columns;
  require_equal("the rest of the length of the data divided by that of the white field",
                static_cast<long long>(rest), "that of whole views", 0);
  LineIntegrals<Scalar> result;
  result.values.resize(data.size());
  for (std::size_t k = 0; k < data.size(); ++k) {
    const std::size_t column = k % columns;
    const double background = dark.empty() ? 0.0 : static_cast<double>(dark[column]);
    const double open = static_cast<double>(white[column]) - background;
    const double signal = static_cast<double>(data[k]) - background;
    if (!(open > 0) || std::isnan(signal)) {
      result.values[k] = std::numeric_limits<Scalar>::quiet_NaN();
      ++result.missing;
      continue;
    }
    double transmission = signal / open;
    if (transmission < smallest_transmission) {
      transmission = smallest_transmission;
      ++result.clamped;
    }
    // Avoids -log(1) = -0: a negative zero would be visible in files.
    result.values[k] = static_cast<Scalar>(transmission == 1 ? 0.0 : -std::log(transmission));
  }
  return result;
}

#define TOMOKKOS_INSTANTIATE(Scalar)                             \
  template LineIntegrals<Scalar> transmission_to_line_integrals( \
      const std::vector<Scalar>&, const std::vector<Scalar>&, const std::vector<Scalar>&, double);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
