// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace Tomokkos {

namespace {

/// Decides whether a view shows anything but the dark field.
class ViewSignal {
 public:
  void add(double transmission, bool is_clamped) {
    ++count_;
    clamped_ += is_clamped ? 1 : 0;
    sum_ += transmission;
    magnitude_ += std::abs(transmission);
  }
  /// True if no value lies above the dark field, or if the values scatter around it: in a frame
  /// without a beam half of the noise is negative. With any signal, however weak or narrow, the sum
  /// comes close to the sum of the magnitudes.
  char is_absent() const {
    constexpr std::size_t fewest_values = 16;
    constexpr double largest_excess = 0.4;
    if (count_ == 0) return 0;  // no element is alive
    if (clamped_ == count_) return 1;
    return count_ >= fewest_values && sum_ <= largest_excess * magnitude_ ? 1 : 0;
  }

 private:
  std::size_t count_ = 0, clamped_ = 0;
  double sum_ = 0, magnitude_ = 0;
};

}  // namespace

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
  ViewSignal signal_of_view;
  for (std::size_t k = 0; k < data.size(); ++k) {
    const std::size_t column = k % columns;
    if (column == 0 && k > 0) result.without_signal.push_back(signal_of_view.is_absent());
    if (column == 0) signal_of_view = {};
    const double background = dark.empty() ? 0.0 : static_cast<double>(dark[column]);
    const double open = static_cast<double>(white[column]) - background;
    const double signal = static_cast<double>(data[k]) - background;
    if (!(open > 0) || std::isnan(signal)) {
      result.values[k] = std::numeric_limits<Scalar>::quiet_NaN();
      ++result.missing;
      continue;
    }
    double transmission = signal / open;
    signal_of_view.add(transmission, transmission < smallest_transmission);
    if (transmission < smallest_transmission) {
      transmission = smallest_transmission;
      ++result.clamped;
    }
    // Avoids -log(1) = -0: a negative zero would be visible in files.
    result.values[k] = static_cast<Scalar>(transmission == 1 ? 0.0 : -std::log(transmission));
  }
  if (!data.empty()) result.without_signal.push_back(signal_of_view.is_absent());
  return result;
}

#define TOMOKKOS_INSTANTIATE(Scalar)                             \
  template LineIntegrals<Scalar> transmission_to_line_integrals( \
      const std::vector<Scalar>&, const std::vector<Scalar>&, const std::vector<Scalar>&, double);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
