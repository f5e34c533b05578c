// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is what is left of the data noise? Spectra of residuals, on the host.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief The discrete Fourier transform of signals of one length, any number.
///
/// A power of two by Cooley and Tukey, others as a convolution of such a length (Bluestein 1970):
/// n log n for all. Memory: 16 bytes for each of n, or of up to 4 n, values, three times.
class FourierTransform {
 public:
  explicit FourierTransform(std::size_t length);

  /// \brief `sum_j signal[j] exp(-2 pi i f j / n)` for f = 0, ..., n - 1.
  ///
  /// \pre as many values as the transform is long
  std::vector<std::complex<double>> operator()(std::span<const double> signal) const;

 private:
  using Values = std::vector<std::complex<double>>;
  void transform(Values& values) const;

  std::size_t length_, padded_;
  Values roots_;   // exp(-2 pi i k / padded), half of them
  Values chirp_;   // exp(-pi i j^2 / n); none for a power of two
  Values filter_;  // the transform of its conjugate, wrapped around
};

/// \brief The normalised cumulative periodogram (NCP) of a set of signals of n values.
///
/// With the power `p_f`, the sum over all signals of `|F_f|^2` at the frequencies f = 1, ..., q, q
/// = floor(n / 2) (the mean, f = 0, says nothing of correlation), it is `c_i = (p_1 + ... + p_i) /
/// (p_1 + ... + p_q)`. The expected power of white noise, of whatever level, and of any noise that
/// is independent from value to value, is the same at all frequencies: then c is the straight line
/// `i / q` up to chance. What is left of a smooth image in a residual lifts c above it.
///
/// B. W. Rust and D. P. O'Leary, "Residual periodograms for choosing regularization parameters for
/// ill-posed problems", Inverse Problems 24 (2008); P. C. Hansen, M. E. Kilmer, R. H. Kjeldsen,
/// "Exploiting residual information in the parameter choice for discrete ill-posed problems", BIT
/// 46 (2006).
class CumulativePeriodogram {
 public:
  explicit CumulativePeriodogram(std::size_t length);

  /// \brief Adds the power of \p signal, of as many values. n log n.
  void add(std::span<const double> signal);

  /// \brief c_1, ..., c_q; all 0 where there is no power.
  std::vector<double> values() const;

  /// \brief `sqrt(sum_i (c_i - i / q)^2 / q)`: 0 for a perfectly flat spectrum, towards 0.58 where
  /// all power is in the lowest frequency. 0 where there is no power.
  double distance_from_white() const;

 private:
  FourierTransform transform_;
  std::vector<double> power_;
};

}  // namespace Tomokkos
