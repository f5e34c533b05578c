// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spectra of residuals on the host, which show whether a residual is noise.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Discrete Fourier transform of signals of a fixed length, which may be any number.
///
/// Powers of two use the algorithm of Cooley and Tukey; other lengths are a convolution of a
/// power-of-two length (Bluestein 1970). Cost n log n in both cases. Memory: three arrays of n
/// values (up to 4 n for other lengths), 16 bytes each.
class FourierTransform {
 public:
  explicit FourierTransform(std::size_t length);

  /// \brief Returns `sum_j signal[j] exp(-2 pi i f j / n)` for f = 0, ..., n - 1.
  ///
  /// \pre \p signal has n values, n the length of the transform
  std::vector<std::complex<double>> operator()(std::span<const double> signal) const;

 private:
  using Values = std::vector<std::complex<double>>;
  void transform(Values& values) const;

  std::size_t length_, padded_;
  Values roots_;   // exp(-2 pi i k / padded), the first half
  Values chirp_;   // exp(-pi i j^2 / n); empty for a power of two
  Values filter_;  // transform of the conjugate of chirp_, wrapped around
};

/// \brief Normalised cumulative periodogram (NCP) of a set of signals of n values.
///
/// Let `p_f` be the power, the sum over all signals of `|F_f|^2`, at the frequencies f = 1, ..., q
/// with q = floor(n / 2). The mean, f = 0, carries no information about correlation. Then
/// `c_i = (p_1 + ... + p_i) / (p_1 + ... + p_q)`. White noise of any level, and any noise that is
/// independent from value to value, has the same expected power at all frequencies. Its c is the
/// straight line `i / q` up to statistical fluctuation. Parts of a smooth image in a residual raise
/// c above this line.
///
/// B. W. Rust and D. P. O'Leary, "Residual periodograms for choosing regularization parameters for
/// ill-posed problems", Inverse Problems 24 (2008); P. C. Hansen, M. E. Kilmer, R. H. Kjeldsen,
/// "Exploiting residual information in the parameter choice for discrete ill-posed problems", BIT
/// 46 (2006).
class CumulativePeriodogram {
 public:
  explicit CumulativePeriodogram(std::size_t length);

  /// \brief Adds the power of \p signal, which has n values. Cost n log n.
  void add(std::span<const double> signal);

  /// \brief Returns c_1, ..., c_q; all 0 if the power is zero.
  std::vector<double> values() const;

  /// \brief Returns `sqrt(sum_i (c_i - i / q)^2 / q)`.
  ///
  /// 0 for a perfectly flat spectrum, close to 0.58 if all power is at the lowest frequency, 0 if
  /// the power is zero.
  double distance_from_white() const;

 private:
  FourierTransform transform_;
  std::vector<double> power_;
};

}  // namespace Tomokkos
