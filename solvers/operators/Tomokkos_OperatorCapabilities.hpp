// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_KaczmarzSchedule.hpp>
#include <Tomokkos_PairRows.hpp>
#include <Tomokkos_RampWindow.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <memory>
#include <variant>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
class AnyOperator;

/// \brief Parameters of one Kaczmarz sweep: a visit of all rows in a given order, each projected
/// and back-projected at once.
///
/// Each row does `x += relaxation (b_i - a_i x) / |a_i|^2 a_i`, then x is clamped to
/// `[minimum, maximum]` on the pixels of the row. Rows without nonzeros are skipped.
template <class Scalar, class MemorySpace>
struct KaczmarzSweep {
  /// Rows in the order of their visit; empty: 0, 1, ..., num_rows - 1.
  VectorView<const Ordinal, MemorySpace> order{};
  Scalar relaxation = 1;
  Scalar minimum = -Kokkos::Experimental::infinity<Scalar>::value;
  Scalar maximum = Kokkos::Experimental::infinity<Scalar>::value;
};

/// \brief Rows of a stored matrix as kernels read them.
template <class Scalar, class MemorySpace>
using StoredRows = std::variant<CsrRows<Scalar, MemorySpace>, PairRows<Scalar, MemorySpace>>;

/// \brief Access to single rows, for row-action solvers.
///
/// An operator provides it through the members `kaczmarz_schedule` and `kaczmarz_sweep_levels`, or
/// `kaczmarz_sweep`; and `row_squared_norms` and `largest_block_counts`; and `stored_rows` if it
/// stores its rows. If it also has a member `has_rows`, that member says at run time whether the
/// capability is available.
template <class ExecutionSpace, class Scalar>
struct RowAccess {
  using memory_space = typename ExecutionSpace::memory_space;

  virtual ~RowAccess() = default;

  /// \brief Returns `|a_i|^2` of every row in double, 0 for a row without entries.
  ///
  /// \throws Error when the operator does not provide them
  virtual Vector<double, memory_space> squared_norms(const ExecutionSpace& exec) const = 0;

  /// \brief Returns, for each column, the largest number of rows of a block that have an entry in
  /// it, over all \p ranks (`csr_largest_block_counts`).
  ///
  /// \throws Error when the operator does not provide them
  virtual Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace& exec,
                                                             const RowSubsets& blocks,
                                                             const Ranks* ranks) const = 0;

  /// \brief True if `stored_rows` is available.
  virtual bool has_stored_rows() const = 0;

  /// \brief Returns the rows as they are stored, for operators made of this one. The operator must
  /// outlive them.
  ///
  /// \throws Error when the operator does not provide them
  virtual StoredRows<Scalar, memory_space> stored_rows(const ExecutionSpace& exec) const = 0;

  /// \brief Returns the levels of dependency of \p order (rows in order of visit; empty: 0, 1,
  /// ...); null if rows are visited one by one.
  virtual std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> schedule(
      const ExecutionSpace& exec, const VectorView<const Ordinal, memory_space>& order) const = 0;

  /// \brief Runs one Kaczmarz sweep over the rows.
  ///
  /// \param schedule result of `schedule`, whose order replaces `sweep.order`; the result equals
  /// that of one visit after the other. Null: no schedule
  virtual void sweep(const ExecutionSpace& exec, const KaczmarzSchedule<ExecutionSpace>* schedule,
                     const KaczmarzSweep<Scalar, memory_space>& sweep,
                     const VectorView<const Scalar, memory_space>& b,
                     const VectorView<Scalar, memory_space>& x) const = 0;
};

/// \brief Entries on and along the diagonal of a square operator.
///
/// An operator provides it through the members `diagonal` and, for blocks, `diagonal_blocks`. If it
/// also has a member `has_diagonal`, that member says at run time whether the capability is
/// available.
template <class ExecutionSpace, class Scalar>
struct DiagonalAccess {
  using VectorType = VectorView<Scalar, typename ExecutionSpace::memory_space>;

  virtual ~DiagonalAccess() = default;

  /// \brief Writes `d_i = A(i, i)`, 0 for entries that are not stored.
  virtual void diagonal(const ExecutionSpace& exec, const VectorType& d) const = 0;

  /// \brief Writes the blocks of \p size rows and columns along the diagonal, one after the other,
  /// each row by row. Beyond the last row, the last block is filled up with the identity.
  ///
  /// \throws Error when the operator does not provide them
  virtual void blocks(const ExecutionSpace& exec, int size, const VectorType& blocks) const = 0;
};

/// \brief Symmetric scaling: the operator `diag(scale) A diag(scale)` of a square A, which
/// multiplies as fast as A.
///
/// An operator provides it through the member `scaled`, and `scaled_in_float`. If it also has a
/// member `scales_values`, that member says at run time whether the capability is available.
template <class ExecutionSpace, class Scalar>
struct Scaling {
  using ConstVectorType = VectorView<const Scalar, typename ExecutionSpace::memory_space>;

  virtual ~Scaling() = default;

  /// \brief Returns the operator `diag(scale) A diag(scale)`.
  ///
  /// \throws DimensionMismatch
  virtual AnyOperator<ExecutionSpace, Scalar> scaled(const ExecutionSpace& exec,
                                                     const ConstVectorType& scale) const = 0;

  /// \brief Returns true if `scaled_in_float` is available.
  virtual bool has_float() const = 0;

  /// \brief Returns the scaled operator with values rounded to float, for vectors in double: nearly
  /// half of the bytes.
  ///
  /// \throws Error when it is not available
  virtual AnyOperator<ExecutionSpace, Scalar> scaled_in_float(
      const ExecutionSpace& exec, const ConstVectorType& scale) const = 0;
};

/// \brief Product that also computes `x . y`. An operator provides it through the members
/// `dot_sums`, if not 0, and `apply_dot`.
template <class ExecutionSpace, class Scalar>
struct FusedDot {
  using memory_space = typename ExecutionSpace::memory_space;

  virtual ~FusedDot() = default;

  /// \brief Returns the number of partial sums that a product writes.
  virtual Offset num_sums() const = 0;

  /// \brief Computes `y = A x` for a square operator, and `num_sums()` partial sums that add up to
  /// `x . y`, in double.
  virtual void apply(const ExecutionSpace& exec, const VectorView<const Scalar, memory_space>& x,
                     const VectorView<Scalar, memory_space>& y,
                     const VectorView<double, memory_space>& sums) const = 0;
};

/// \brief Transposed products restricted to a slab of columns. An image computed slab by slab
/// allows work on the first slab while the next is computed.
///
/// An operator provides it through the members `slab_multiple`, `apply_transpose_columns`, and
/// optionally `prepare_slabs` and `slabs_run_together`.
template <class ExecutionSpace, class Scalar>
struct ColumnSlabs {
  using Input = MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>;
  using Output = MultiVectorView<Scalar, typename ExecutionSpace::memory_space>;

  virtual ~ColumnSlabs() = default;

  /// \brief Returns the unit of slabs: they begin at multiples of it, and end at one or with A. 0:
  /// products cannot be cut, for example before a transposed copy is built.
  virtual Ordinal unit() const = 0;

  /// \brief Computes the common part of the slabs of `A^T X`. Call it before the first slab, and
  /// again for another X or after another product.
  virtual void prepare(const ExecutionSpace& exec, const Input& X) const = 0;

  /// \brief Returns true if slabs of one product with \p vectors vectors may be computed
  /// concurrently, each on an instance of its own.
  virtual bool run_together(int vectors) const = 0;

  /// \brief Computes `Y = alpha A(:, columns)^T X + beta Y` with Y `columns.size() x s`. The result
  /// has the same bits as these columns of the whole product.
  virtual void apply_transpose(const ExecutionSpace& exec, Scalar alpha, const Input& X,
                               Scalar beta, const Output& Y, RowRange columns) const = 0;
};

/// \brief Access to the CSR matrix of an operator, for kernels that multiply by themselves. An
/// operator provides it through the members `csr` and `csr_transpose`.
template <class ExecutionSpace, class Scalar>
struct StoredCsr {
  using matrix_type = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;

  virtual ~StoredCsr() = default;

  /// \brief Returns the matrix; null if it is distributed over ranks.
  virtual const matrix_type* matrix() const = 0;
  /// \brief Returns the transpose that the operator keeps, its rows sorted; null if it keeps none.
  virtual const matrix_type* transpose() const = 0;
};

/// \brief Inverse of the projection of a scan in closed form. An operator provides it through the
/// member `filtered_back_projection`. If it also has a member `has_all_rays`, that member says at
/// run time whether the capability is available.
template <class ExecutionSpace, class Scalar>
struct AnalyticInverse {
  using memory_space = typename ExecutionSpace::memory_space;

  virtual ~AnalyticInverse() = default;

  /// \brief Computes the images X of the data B, in the orders of the columns and rows of A
  /// (`FilteredBackProjection`).
  ///
  /// \throws Error if the scan has no filtered back projection
  virtual void filtered_back_projection(const ExecutionSpace& exec, RampWindow window,
                                        const MultiVectorView<const Scalar, memory_space>& B,
                                        const MultiVectorView<Scalar, memory_space>& X) const = 0;
};

/// \brief Capabilities of an operator besides its products. A null pointer means that the operator
/// does not have the capability.
template <class ExecutionSpace, class Scalar>
struct OperatorCapabilities {
  const RowAccess<ExecutionSpace, Scalar>* rows = nullptr;
  const DiagonalAccess<ExecutionSpace, Scalar>* diagonal = nullptr;
  const Scaling<ExecutionSpace, Scalar>* scaling = nullptr;
  const FusedDot<ExecutionSpace, Scalar>* dot = nullptr;
  const ColumnSlabs<ExecutionSpace, Scalar>* slabs = nullptr;
  const StoredCsr<ExecutionSpace, Scalar>* csr = nullptr;
  const AnalyticInverse<ExecutionSpace, Scalar>* analytic_inverse = nullptr;

  /// Ranks over which the rows are distributed, from `A.row_ranks()`. `A.num_rows()` counts the
  /// local rows, and vectors over the rows hold the local entries: quantities formed over such a
  /// vector are summed over the ranks.
  const Communicator<ExecutionSpace>* row_ranks = nullptr;
  /// Ranks over which the columns are distributed, from `A.column_ranks()`. If only rows are
  /// distributed, every rank holds the same bits of vectors over the columns.
  const Communicator<ExecutionSpace>* column_ranks = nullptr;

  /// True if products consist only of launches, which may then be recorded and launched again; from
  /// `A.only_launches()`. False for a product that waits, allocates or queries the host, and for
  /// one whose kernels carry more than 256 bytes: Kokkos passes larger functors to a GPU through a
  /// buffer on the host that later launches overwrite.
  bool only_launches = false;
  /// True if A^T x adds in any order, so that its last bits vary from run to run; from
  /// `A.transposes_by_atomics()`.
  bool transposes_by_atomics = false;
};

}  // namespace Tomokkos
