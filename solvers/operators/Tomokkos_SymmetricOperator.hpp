// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_SymmetricRanges.hpp>
#include <optional>

namespace Tomokkos {

/// \brief The system matrix of a scan with the symmetries of the square as an operator, by one ray
/// of each orbit: `y = A x` is a product of the stored rays with the eight images of x
/// (`RaySymmetry`), and so is `A^T y`. Natural rays and pixels, those that masks keep.
///
/// The stored rays are any operator (CSR with a stored transpose, packed rows, ray tiles), whose
/// products with 8 s vectors take s of this one; it decides how its transpose is done, and whether
/// the bits repeat.
///
/// A range of rays need not cost a product with all where the stored rays are in CSR. A x costs the
/// entries of the range where those are no more than the stored ones; A^T y by atomics
/// (`TransposeMethod::atomic`) likewise, up to a quarter of the rays. With a stored transpose, A^T
/// y reads the bands of it that hold the range (`RayBands`): of a view those of nine stored views,
/// a few lines of each row. Where the bands are half of it, and elsewhere, all is multiplied.
///
/// Copies share the arrays and the workspace, so an operator serves one execution-space instance at
/// a time.
template <class ExecutionSpace, class Scalar>
class SymmetricOperator {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;

  /// \brief \p stored with rows and columns as \p symmetry numbers them. Throws
  /// `DimensionMismatch`; `Error` when it cannot be transposed.
  ///
  /// \param transposed the transpose of \p stored as an operator of its own, in a format that suits
  /// its short rows: `A^T y` of all rays is its product, and \p stored needs no transposed one.
  /// Ranges of rays take what \p stored has: by its atomics their bits vary, those of all rays do
  /// not.
  SymmetricOperator(RaySymmetry<memory_space> symmetry, AnyOperator<ExecutionSpace, Scalar> stored,
                    std::optional<AnyOperator<ExecutionSpace, Scalar>> transposed = {});

  Ordinal num_rows() const { return symmetry_.num_rays(); }
  Ordinal num_cols() const { return symmetry_.num_pixels(); }
  const RaySymmetry<memory_space>& symmetry() const { return symmetry_; }
  const AnyOperator<ExecutionSpace, Scalar>& stored() const { return stored_; }

  std::size_t memory_bytes() const;
  /// \brief Of a product with \p vectors vectors: that of the stored rays with eight times as many,
  /// x and y, the images written and those of the measurements read, and where each belongs.
  std::size_t apply_bytes(int vectors = 1) const;
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates the images of \p vectors vectors, `8 (num_cols + num_stored)` values each,
  /// and what the stored rays need. A product that finds less allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y, RowRange rows = all_rows) const;
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y,
                       RowRange rows = all_rows) const;

  /// \brief True where the stored rays are in CSR, whose rows are those of the whole matrix.
  bool has_rows() const { return stored_csr(stored_) != nullptr; }
  /// \brief The natural rows; throws `Error` without `has_rows`.
  SymmetricRows<Scalar, memory_space> rows() const;

  /// \brief `|a_i|^2` of every row, formed once; needs `rows`, as what follows does.
  const Vector<double, memory_space>& row_squared_norms(const ExecutionSpace& exec) const;
  /// \brief See `symmetric_largest_block_counts`.
  Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace& exec,
                                                     Ordinal block_rows) const;

  /// \brief See `make_symmetric_kaczmarz_schedule`; null without `has_rows`.
  std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> kaczmarz_schedule(
      const ExecutionSpace& exec, const VectorView<const Ordinal, memory_space>& order) const;
  /// \brief Exact Kaczmarz, the rows of a level at once: see `symmetric_kaczmarz_sweep_levels`.
  void kaczmarz_sweep_levels(const ExecutionSpace& exec,
                             const KaczmarzSchedule<ExecutionSpace>& schedule,
                             const KaczmarzSweep<Scalar, memory_space>& sweep,
                             const VectorView<const Scalar, memory_space>& b,
                             const VectorView<Scalar, memory_space>& x) const;

 private:
  const RayBands& bands(const ExecutionSpace& exec) const;
  using Images = MultiVectorView<Scalar, memory_space>;
  Images pixel_images(std::size_t vectors) const;
  Images ray_images(std::size_t vectors) const;
  std::size_t map_bytes(int vectors) const;

  RaySymmetry<memory_space> symmetry_;
  AnyOperator<ExecutionSpace, Scalar> stored_;
  std::optional<AnyOperator<ExecutionSpace, Scalar>> transposed_;
  mutable Vector<Scalar, memory_space> pixel_images_;
  mutable Vector<Scalar, memory_space> ray_images_;
  mutable std::shared_ptr<const RayBands> bands_;       // null: not wanted yet
  mutable Vector<double, memory_space> squared_norms_;  // of the rows; empty: not wanted yet
};

}  // namespace Tomokkos
