// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filtered back projection: an image from the data of a scan without iterations.
#pragma once

#include <Tomokkos_RampWindow.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_SteppedProducts.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <Tomokkos_VolumeGeometry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Returns the weights of a discrete ramp filter for samples at distance 1, from the middle
/// weight on: the transform of |f| W(f) over |f| <= 1/2, in closed form. Frequencies of the window
/// are relative to 1/2.
std::vector<double> ramp_filter(RampWindow window, Ordinal count);

/// \brief Share of each view in the integral over all directions.
struct ViewShares {
  std::vector<double> radians;  ///< of each view; their sum is at least half a turn
  double start = 0;             ///< first angle of the arc of the views, in radians
  double arc = 0;               ///< its length; a whole turn if the views surround the image
};

/// \brief Returns the shares of the views of \p scan.
///
/// Each view stands for the directions up to the middle between it and its neighbours. Views of a
/// parallel beam that are half a turn apart count as the same direction.
///
/// \throws Refused if the views cover less than half a turn, or, with a fan beam, less than half a
/// turn and the angle of the fan; the message names the angle that they cover. Also for a scan by
/// vectors and for a curved detector
ViewShares view_shares(const ScanGeometry& scan);

/// \brief Filtered back projection of scans with one geometry.
///
/// Each view is convolved with the discrete ramp filter (Kak and Slaney 1988, chapter 3). Then each
/// pixel sums the filtered values at its position, interpolated linearly. Data of a fan beam are
/// weighted by the cosine of the angle in the fan and, for less than a whole turn, by Parker's
/// weights (1982), extended to longer arcs; the back projection weights by the inverse square of
/// the distance from the source.
///
/// The image has the unit of the data divided by that of lengths. Sums have a fixed order: every
/// run gives the same bits.
template <class ExecutionSpace, class Scalar>
class FilteredBackProjection {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// \throws Error if the geometry is invalid; Refused if there are too few directions (see
  /// `view_shares`); MemoryError
  FilteredBackProjection(const ExecutionSpace& exec, const VolumeGeometry& volume,
                         const ScanGeometry& scan, RampWindow window = RampWindow::ram_lak);

  /// \brief Computes the images of \p data: a row for each ray of the scan in natural order, a
  /// column for each slice. \p images has a row for each pixel.
  ///
  /// A few launches a slice, no fence. Cost: `detectors` multiply-adds a ray and two a view and
  /// pixel. The workspace is three times the data of a slice, and two images.
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
  ViewShares shares_;
  Vector<Scalar, memory_space> filter_;  // symmetric: 2 detectors - 1 weights
  Kokkos::View<const View*, memory_space> views_;
  Kokkos::View<const double*, memory_space> radians_;  // of the views
  Vector<Scalar, memory_space> weighted_, filtered_;   // rays of a slice
  /// For a parallel beam whose elements are not much narrower than the pixels; otherwise empty.
  ComputedProjection<memory_space> interpolation_;
  SteppedWorkspace<Scalar, memory_space> workspace_;
};

}  // namespace Tomokkos
