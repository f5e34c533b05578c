// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SymmetricRanges.hpp>
#include <optional>
#include <type_traits>
#include <variant>

namespace Tomokkos {

/// \brief System matrix of a scan with the symmetries of the square, which stores one ray of each
/// orbit.
///
/// `y = A x` is a product of the stored rays with the eight images of x (`RaySymmetry`), and
/// likewise `A^T y`. Rays and pixels are in natural order, restricted to those that masks keep.
///
/// The stored rays may be in any operator (CSR with a stored transpose, packed rows, ray tiles). A
/// product with s vectors uses a product of the stored rays with 8 s vectors. The operator of the
/// stored rays determines how the transpose is computed, and whether the bits are reproducible.
///
/// A range of rays can cost less than a product with all of them if the stored rays are in CSR or
/// in pairs. A x then costs as much as the entries of the range, provided that the range has no
/// more rays than are stored, or an eighth of them in pairs, whose single rows are not adjacent.
/// A^T y by atomics (`TransposeMethod::atomic`) does likewise, for up to a quarter of the rays, in
/// pairs a thirty-second. With a stored transpose, A^T y reads the bands of the transpose that hold
/// the range
/// (`RayBands`): for one view those of nine stored views, a few lines of each row. In all other
/// cases, and if the bands are half of the transpose, the whole product is computed.
///
/// Copies share the arrays and the workspace, so an operator serves one execution-space instance at
/// a time.
template <class ExecutionSpace, class Scalar>
class SymmetricOperator {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;

  /// \brief Builds the operator from the stored rays.
  ///
  /// \param symmetry numbering of the rows and columns of \p stored
  /// \param stored operator of the stored rays
  /// \param transposed the transpose of \p stored as an operator of its own, in a format that suits
  /// its short rows. `A^T y` of all rays then uses its product, and \p stored needs no transposed
  /// one. Ranges of rays still use \p stored: with atomics the bits of products with ranges vary
  /// from run to run, while those of products with all rays do not.
  /// \throws DimensionMismatch
  SymmetricOperator(RaySymmetry<memory_space> symmetry, AnyOperator<ExecutionSpace, Scalar> stored,
                    std::optional<AnyOperator<ExecutionSpace, Scalar>> transposed = {});

  Ordinal num_rows() const { return symmetry_.num_rays(); }
  Ordinal num_cols() const { return symmetry_.num_pixels(); }
  const RaySymmetry<memory_space>& symmetry() const { return symmetry_; }
  const AnyOperator<ExecutionSpace, Scalar>& stored() const { return stored_; }
  /// \brief True if the stored rays have a transposed product, as `apply_transpose` needs.
  bool has_transpose() const { return transposed_ || stored_.has_transpose(); }

  std::size_t memory_bytes() const;
  /// \brief Returns the bytes that a product with \p vectors vectors moves: that of the stored rays
  /// with eight times as many, x and y, the images written, those of the measurements read, and the
  /// lists of positions.
  std::size_t apply_bytes(int vectors = 1) const;
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates the images of \p vectors vectors, `8 (num_cols + num_stored)` values each,
  /// and the workspace of the stored rays. A product that finds less allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y, RowRange rows = all_rows) const;
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y,
                       RowRange rows = all_rows) const;

  /// \brief Returns true if the stored rays are in CSR or in pairs, so that single rows of the
  /// whole matrix are available.
  bool has_rows() const {
    const auto* const rows = stored_.capabilities().rows;
    return rows != nullptr && rows->has_stored_rows();
  }
  /// \brief Calls `action(rows)` with the rows in natural order (`SymmetricRows`) and returns its
  /// result; throws `Error` without `has_rows`.
  template <class Action>
  auto with_rows(const ExecutionSpace& exec, const Action& action) const {
    require(has_rows(),
            "the stored rays are not in CSR or in pairs, which access to single rows needs");
    return std::visit(
        [&](const auto& rows) {
          return action(
              SymmetricRows<Scalar, memory_space, std::decay_t<decltype(rows)>>(symmetry_, rows));
        },
        stored_.capabilities().rows->stored_rows(exec));
  }

  /// \brief Returns `|a_i|^2` of every row, computed once. Needs `has_rows`, as do the following
  /// members.
  const Vector<double, memory_space>& row_squared_norms(const ExecutionSpace& exec) const;
  /// \brief See `rows_largest_block_counts`.
  Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace& exec,
                                                     const RowSubsets& blocks,
                                                     const Ranks* ranks) const;

  /// \brief See `make_rows_kaczmarz_schedule`; null without `has_rows`.
  std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> kaczmarz_schedule(
      const ExecutionSpace& exec, const VectorView<const Ordinal, memory_space>& order) const;
  /// \brief Runs an exact Kaczmarz sweep that treats the rows of a level concurrently: see
  /// `rows_kaczmarz_sweep_levels`.
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
  mutable std::shared_ptr<const RayBands> bands_;       // null until first needed
  mutable Vector<double, memory_space> squared_norms_;  // squared norms of the rows; empty until
                                                        // first needed
};

TOMOKKOS_EXTERN_CLASS(SymmetricOperator)

}  // namespace Tomokkos
