// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with the system matrix of a scan that is not stored.
#pragma once

#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_KaczmarzSchedule.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <memory>
#include <vector>

namespace Tomokkos {

/// \brief Returns the bytes that a `ComputedProjection` stores for a ray.
std::size_t computed_ray_bytes(Beam beam, Projector projector);

/// \brief Consecutive rows of a `ComputedProjection` that belong to one view.
struct ViewRows {
  Ordinal view;
  Ordinal begin, end;
};

/// \brief Positions and weights of a view, for stepped products. Lengths are in pixels, positions
/// on the detector in elements. Pixels are squares of length 1, whatever their shape. In a fan beam
/// only the direction, `taps` and the elements with exact weights are used.
struct alignas(16) ViewSteps {
  double cosine = 1, sine = 0;  ///< direction of the detector
  bool by_rows = true;          ///< rays step from row to row; otherwise from column to column
  bool is_exact = false;        ///< the view is left to exact weights
  int taps = 1;                 ///< rays on each side of a pixel that may have a weight
  /// Position of element d in line r of the image: start + d per_element + r step.
  double start = 0, per_element = 0, step = 0;
  /// Position of a pixel on the detector: origin + column per_column + row per_row.
  double origin = 0, per_column = 0, per_row = 0;
  /// For `strip`, the weight of an overlap of one pixel; the members below are not used. Otherwise
  /// the largest weight. The others are this times `1/2 - fall (f - 1/2)`, clamped to [0, 1], where
  /// f is the distance of the pixel from the ray along the line of the image.
  double scale = 1, fall = 1;
  /// From the distance f in elements, the weight is `scale (1/2 - fall_elements (f - half))`,
  /// clamped likewise.
  double fall_elements = 1, half = 0.5;
  /// Elements of a fan beam whose rays, or those beside them, may have exact weights: two
  /// intervals, empty unless set.
  double exact_begin[2] = {1e300, 1e300}, exact_end[2] = {-1e300, -1e300};
};

template <class MemorySpace>
struct ComputedOrbits;

/// \brief System matrix of a scan whose entries are computed in every product.
///
/// The entries are those of `build_mapped_system_matrix`, bit by bit. Only the lines of the rays
/// are stored, in `computed_ray_bytes` each.
///
/// Both products gather: each sum is formed by one thread in a fixed order, in double. They
/// therefore give the same bits in every run, and differ from each other's adjoint by rounding
/// only.
///
/// Copies share the arrays.
template <class MemorySpace>
struct ComputedProjection {
  using memory_space = MemorySpace;

  VolumeGeometry volume;
  ScanGeometry scan;
  Projector projector = Projector::line;

  Ordinal num_rows = 0, num_cols = 0;
  /// Rays and pixels of the rows and columns; without arrays: natural order.
  IndexMap<MemorySpace> rays, pixels;
  Kokkos::View<const ViewRays*, MemorySpace> views;
  /// Where the rays of a curved detector meet a flat one; otherwise empty.
  Kokkos::View<const double*, MemorySpace> tangents;
  /// Rows in runs of one view, in order; \c runs_on_host holds the same.
  Kokkos::View<const ViewRows*, MemorySpace> runs;
  std::vector<ViewRows> runs_on_host;
  Kokkos::View<const double*, MemorySpace> lines;  ///< projectors of the rows
  /// Steps of all views if the rays at a pixel are not much denser than the pixels and the rows of
  /// a view mostly follow each other; otherwise empty. `strip` has them only for a parallel beam
  /// with elements of 0.71 to 1.41 pixels. A fan beam has them only for square pixels, a flat
  /// detector and a source that turns around the origin.
  Kokkos::View<const ViewSteps*, MemorySpace> steps;
  std::vector<ViewSteps> steps_on_host;
  /// Runs of the views that stepped products leave to exact weights, in order; \c
  /// exact_runs_on_host holds the same.
  Kokkos::View<const ViewRows*, MemorySpace> exact_runs;
  std::vector<ViewRows> exact_runs_on_host;
  /// Few views whose images under maps of the square are all views (Tomokkos_ComputedOrbits.hpp),
  /// for stepped products with all rows. Null where the scan has no such symmetry.
  std::shared_ptr<const ComputedOrbits<MemorySpace>> orbits;

  /// \brief True if stepped products (Tomokkos_SteppedProducts.hpp) are available.
  bool is_stepped() const { return !steps_on_host.empty(); }

  /// \brief Bytes of the arrays in the memory of the kernels.
  std::size_t memory_bytes() const;
};

/// \brief True if stepped products serve the rays of a scan whose rows follow each other view by
/// view; otherwise each entry is computed exactly, more slowly.
bool has_stepped_products(const VolumeGeometry& volume, const ScanGeometry& scan,
                          Projector projector);

/// \brief Number of rays of a parallel beam that stepped products compute at once in the registers
/// of a host; 1 on a GPU, in `double`, and in builds that do without such registers.
template <class ExecutionSpace, class Scalar>
int rays_at_once();

/// \brief Prepares products with the matrix of a scan.
///
/// \param ray_map rays of the rows; without arrays: all rays in natural order. Rows of one view
///   should follow each other: `A^T x` takes a step per pixel and run of rows
/// \param pixel_map pixels of the columns; without arrays: all pixels in natural order
/// \param by_symmetry whether stepped products may use the symmetry of the scan, which takes memory
///   for up to eight images
/// \throws Error if the geometry is invalid (see `check`)
/// \throws DimensionMismatch for maps of the wrong size
/// \throws MemoryError
/// \note The result is complete on return. Cost: a pass over the rays.
template <class ExecutionSpace>
ComputedProjection<typename ExecutionSpace::memory_space> make_computed_projection(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    Projector projector, const IndexMap<typename ExecutionSpace::memory_space>& ray_map = {},
    const IndexMap<typename ExecutionSpace::memory_space>& pixel_map = {}, bool by_symmetry = true);

/// \brief Prepares `interpolate_views` (Tomokkos_SteppedProducts.hpp) for a parallel beam: views,
/// each with a factor. Other products of the result are not defined.
///
/// \pre has_stepped_products(volume, scan, Projector::linear)
/// \throws DimensionMismatch; MemoryError
template <class ExecutionSpace>
ComputedProjection<typename ExecutionSpace::memory_space> make_view_interpolation(
    const ExecutionSpace& exec, const VolumeGeometry& volume, const ScanGeometry& scan,
    const std::vector<double>& factors);

/// \brief Computes `Y = alpha A(rows, :) X + beta Y`.
///
/// One launch for every eight vectors, which share the weights; no fence, no allocation. Each ray
/// is traced by one thread. Moves X and Y.
///
/// \throws DimensionMismatch; Error for rows outside A
template <class ExecutionSpace, class Scalar>
void computed_product(const ExecutionSpace& exec,
                      const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                      Scalar alpha, const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
                      const OutputMultiVector<ExecutionSpace, Scalar>& Y, RowRange rows = all_rows);

/// \brief Computes `Y = alpha A(rows, :)^T X + beta Y`.
///
/// Launches, fences, bytes and errors are those of `computed_product`. One thread visits a pixel
/// and finds the rays near it in every view of the range.
template <class ExecutionSpace, class Scalar>
void computed_transposed_product(const ExecutionSpace& exec,
                                 const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                                 Scalar alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
                                 Scalar beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y,
                                 RowRange rows = all_rows);

/// \brief Computes `|a_i|^2` of every row, in double, of the entries rounded to \p Scalar. No
/// fence.
template <class ExecutionSpace, class Scalar>
Vector<double, typename ExecutionSpace::memory_space> computed_squared_norms(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A);

/// \brief Computes the result of `csr_largest_block_counts` for this matrix.
///
/// Cost: a transposed product for the rows of each block. With \p ranks a copy of the counts to the
/// host and a sum over the ranks for each block.
template <class ExecutionSpace>
Vector<Ordinal, typename ExecutionSpace::memory_space> computed_block_counts(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    const RowSubsets& blocks, const Ranks* ranks = nullptr);

/// \brief Performs one Kaczmarz sweep, as `csr_kaczmarz_sweep_levels` does, row after row.
///
/// One launch of one team, whose threads share the pixels of a ray; no fence. Each row is traced
/// twice. The number of threads determines the order in which products are added.
///
/// \param order rows in the order of visits; empty: 0, 1, ...
/// \param squared_norms result of `computed_squared_norms`
template <class ExecutionSpace, class Scalar>
void computed_kaczmarz_sweep(const ExecutionSpace& exec,
                             const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                             const InputVector<ExecutionSpace, Ordinal>& order,
                             const InputVector<ExecutionSpace, double>& squared_norms,
                             const KaczmarzCoefficients<Scalar>& coefficients,
                             const InputVector<ExecutionSpace, Scalar>& b,
                             const OutputVector<ExecutionSpace, Scalar>& x);

}  // namespace Tomokkos
