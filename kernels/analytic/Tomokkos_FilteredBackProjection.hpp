// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filtered back projection: an image from the data of a scan without iterations.
#pragma once

#include <Tomokkos_RampWindow.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_SteppedProducts.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <Tomokkos_ViewShares.hpp>
#include <Tomokkos_VolumeGeometry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Returns the weights of a discrete ramp filter for samples at distance 1, from the middle
/// weight on: the transform of |f| W(f) over |f| <= 1/2, in closed form. Frequencies of the window
/// are relative to 1/2.
std::vector<double> ramp_filter(RampWindow window, Ordinal count);

/// \brief Filtered back projection of scans with one geometry.
///
/// Each view is convolved with the discrete ramp filter (Kak and Slaney 1988, chapter 3). Then each
/// pixel sums the filtered values at its position, interpolated linearly. Data of a fan beam are
/// weighted by the cosine of the angle in the fan and, for less than a whole turn, by Parker's
/// weights (1982), extended to longer arcs; the back projection weights by the inverse square of
/// the distance from the source.
///
/// In a whole turn the detector need not be centred: lines that only one of two opposite views
/// measures count twice (`opposite_weights`). Data that do not reach zero at an end of the detector
/// (`data_ends`) are continued beyond it before they are filtered, except where the opposite views
/// measure these lines. Where directions are missing (`ViewShares::has_missing_directions`), the
/// image is an approximation.
///
/// The image has the unit of the data divided by that of lengths. Sums have a fixed order: every
/// run gives the same bits.
template <class ExecutionSpace, class Scalar>
class FilteredBackProjection {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// \throws Error if the geometry is invalid; Refused for a scan by vectors and for a curved
  /// detector; MemoryError
  FilteredBackProjection(const ExecutionSpace& exec, const VolumeGeometry& volume,
                         const ScanGeometry& scan, RampWindow window = RampWindow::ram_lak);

  /// \brief Computes the images of \p data: a row for each ray of the scan in natural order, a
  /// column for each slice. \p images has a row for each pixel.
  ///
  /// A few launches a slice, no fence. Cost: `detectors` multiply-adds a ray and two a view and
  /// pixel. The workspace is three times the data of a slice, and two images. In a whole turn the
  /// shorter side of a displaced detector counts as long as the other one, as far as the image
  /// reaches. Truncated data cost about 20 log(`detectors`) further operations a ray.
  ///
  /// \throws DimensionMismatch
  void apply(const ExecutionSpace& exec, const MultiVectorView<const Scalar, memory_space>& data,
             const MultiVectorView<Scalar, memory_space>& images) const;

  std::size_t memory_bytes() const;

  /// \brief Direction and share of a view.
  struct View {
    double cosine, sine, share;
  };

 private:
  VolumeGeometry volume_;
  ScanGeometry scan_;
  ScanGeometry wide_;           // with the elements that are added to a displaced detector
  Ordinal before_ = 0;          // how many of them come first
  double start_ = 0, arc_ = 0;  // of the views
  bool continues_low_ = true, continues_high_ = true;  // truncated data, at each end
  Vector<Scalar, memory_space> filter_;                // symmetric
  Kokkos::View<const View*, memory_space> views_;
  Kokkos::View<const double*, memory_space> radians_;    // of the views
  Kokkos::View<const double*, memory_space> weights_;    // of the elements
  Kokkos::View<const double*, memory_space> tail_sums_;  // of the first weights of the filter
  Kokkos::View<const Ordinal*, memory_space> tail_blocks_;
  Vector<Scalar, memory_space> weighted_, filtered_;   // rays of a slice
  Vector<double, memory_space> peaks_, ends_, tails_;  // of the views of a slice
  /// For a parallel beam whose elements are not much narrower than the pixels; otherwise empty.
  ComputedProjection<memory_space> interpolation_;
  SteppedWorkspace<Scalar, memory_space> workspace_;
};

}  // namespace Tomokkos
