// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConeBeamScan.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_KaczmarzSchedule.hpp>
#include <Tomokkos_Ranks.hpp>
#include <Tomokkos_RingScanner.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <memory>

namespace Tomokkos {

/// \brief Workspace of transposed products with traced rows: integer sums for each column and
/// vector, and bounds of the sums.
template <class MemorySpace>
struct TracedWorkspace {
  int vectors = 0;  ///< number of vectors for which there are sums, at most `max_traced_vectors`
  Vector<long long, MemorySpace> sums;  ///< 0 between products
  Vector<unsigned char, MemorySpace> faults;
  Vector<double, MemorySpace> bounds;  ///< largest entry of each vector
  double column_bound = 0;             ///< largest sum of the entries of a column

  std::size_t memory_bytes() const {
    return sums.extent(0) * sizeof(long long) + faults.extent(0) +
           bounds.extent(0) * sizeof(double);
  }
};

/// \brief Largest number of vectors for which rows are traced together.
inline constexpr int max_traced_vectors = 8;

/// \brief System matrix of a PET scanner or a cone beam that is not stored: each product traces all
/// rows.
///
/// The entries are those of `build_scanner_matrix` and `build_cone_beam_matrix`, bit by bit. A row
/// is traced by one thread on a host and one warp on a GPU. Vectors are multiplied eight at a time.
///
/// - `A x`: the products of a row are summed in double, in a fixed order.
/// - `A^T x`: products are rounded to multiples of a unit and summed as 64-bit integers, which are
///   exact in any order. The unit is the largest entry of x times the largest sum of a column of A,
///   divided by at least 2^59. A sum of n products thus differs from the exact one by at most
///   `n 2^-60` of that bound, and cannot overflow. Entries of x that are not finite make the
///   results that they reach NaN.
///
/// All results have the same bits in every run.
template <class ExecutionSpace, class Scalar>
class TracedProjection {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Workspace = TracedWorkspace<memory_space>;

  TracedProjection(Ordinal rows, Ordinal columns) : num_rows_(rows), num_cols_(columns) {}
  virtual ~TracedProjection() = default;

  Ordinal num_rows() const { return num_rows_; }
  Ordinal num_cols() const { return num_cols_; }
  /// \brief Returns the bytes of the description of the scan and of the maps.
  virtual std::size_t memory_bytes() const = 0;

  /// \brief Allocates \p work for products with \p vectors vectors, and bounds the sums of the
  /// columns. The first call traces all rows.
  ///
  /// \throws MemoryError
  virtual void reserve(const ExecutionSpace& exec, int vectors, Workspace& work) const = 0;

  /// \brief Computes `Y = alpha A(rows, :) X + beta Y`. No fence.
  ///
  /// \throws DimensionMismatch; Error for rows outside A
  virtual void product(const ExecutionSpace& exec, Scalar alpha,
                       const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
                       const OutputMultiVector<ExecutionSpace, Scalar>& Y, RowRange rows) const = 0;

  /// \brief Computes `Y = alpha A(rows, :)^T X + beta Y`. No fence if \p work has been reserved.
  ///
  /// \throws DimensionMismatch; Error for rows outside A
  virtual void transposed_product(const ExecutionSpace& exec, Scalar alpha,
                                  const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
                                  const OutputMultiVector<ExecutionSpace, Scalar>& Y, RowRange rows,
                                  Workspace& work) const = 0;

  /// \brief Computes `|a_i|^2` of every row in double, of the entries rounded to \p Scalar. No
  /// fence.
  virtual Vector<double, memory_space> squared_norms(const ExecutionSpace& exec) const = 0;

  /// \brief Computes the result of `csr_largest_block_counts` for this matrix. Traces all rows;
  /// with \p ranks a copy of the counts to the host and a sum over the ranks for each block.
  virtual Vector<Ordinal, memory_space> block_counts(const ExecutionSpace& exec,
                                                     const RowSubsets& blocks,
                                                     const Ranks* ranks) const = 0;

  /// \brief Performs one Kaczmarz sweep, as `csr_kaczmarz_sweep_levels` does, row after row. One
  /// launch of one team; no fence. Each row is traced twice.
  ///
  /// \param order rows in the order of visits; empty: 0, 1, ...
  /// \param squared_norms result of `squared_norms`
  virtual void kaczmarz_sweep(const ExecutionSpace& exec,
                              const InputVector<ExecutionSpace, Ordinal>& order,
                              const InputVector<ExecutionSpace, double>& squared_norms,
                              const KaczmarzCoefficients<Scalar>& coefficients,
                              const InputVector<ExecutionSpace, Scalar>& b,
                              const OutputVector<ExecutionSpace, Scalar>& x) const = 0;

 private:
  Ordinal num_rows_, num_cols_;
};

/// \brief Prepares products with the matrix of a PET scanner (`build_scanner_matrix`).
///
/// \param pair_map pairs of the rows; without arrays: all pairs in natural order
/// \param voxel_map voxels of the columns; without arrays: all voxels in natural order
/// \throws Error if the geometry is invalid (see `check`)
/// \throws DimensionMismatch for maps of the wrong size
/// \throws MemoryError
template <class ExecutionSpace, class Scalar>
std::shared_ptr<const TracedProjection<ExecutionSpace, Scalar>> make_traced_projection(
    const ExecutionSpace& exec, const VolumeGeometry3D& volume, const RingScanner& scanner,
    const IndexMap<typename ExecutionSpace::memory_space>& pair_map = {},
    const IndexMap<typename ExecutionSpace::memory_space>& voxel_map = {});

/// \brief Prepares products with the matrix of a cone beam (`build_cone_beam_matrix`), expanded:
/// row `e views + p` belongs to element e of view p.
///
/// In natural order the rows of an element are traced together, on a host all of them and on a GPU
/// up to eight. With a map each row is traced alone.
///
/// \param ray_map elements and views of the rows; without arrays: all rows in natural order
/// \throws Error if the geometry is invalid (see `check`)
/// \throws DimensionMismatch for a map of the wrong size
/// \throws MemoryError
template <class ExecutionSpace, class Scalar>
std::shared_ptr<const TracedProjection<ExecutionSpace, Scalar>> make_traced_projection(
    const ExecutionSpace& exec, const PolarVolume& volume, const ConeBeamScan& scan,
    const IndexMap<typename ExecutionSpace::memory_space>& ray_map = {});

}  // namespace Tomokkos
