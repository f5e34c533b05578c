// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_KaczmarzSchedule.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <memory>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
class AnyOperator;

/// \brief One visit of rows in a given order, each projected and back-projected at once (Kaczmarz):
/// `x += relaxation (b_i - a_i x) / |a_i|^2 a_i`, then x clamped to `[minimum, maximum]` on the
/// pixels of the row. Rows without nonzeros are passed over.
template <class Scalar, class MemorySpace>
struct KaczmarzSweep {
  /// Rows in the order of their visit; empty: 0, 1, ..., num_rows - 1.
  VectorView<const Ordinal, MemorySpace> order;
  Scalar relaxation = 1;
  Scalar minimum = -Kokkos::Experimental::infinity<Scalar>::value;
  Scalar maximum = Kokkos::Experimental::infinity<Scalar>::value;
};

/// \brief Access to single rows, for solvers that go from row to row. An operator offers it by the
/// members `kaczmarz_schedule` and `kaczmarz_sweep_levels`, or `kaczmarz_sweep`; and
/// `row_squared_norms` and `largest_block_counts`. Where it has a member `has_rows`, that decides.
template <class ExecutionSpace, class Scalar>
struct RowAccess {
  using memory_space = typename ExecutionSpace::memory_space;

  virtual ~RowAccess() = default;

  /// \brief `|a_i|^2` of every row in double, 0 of one without entries.
  ///
  /// \throws Error where the operator does not tell
  virtual Vector<double, memory_space> squared_norms(const ExecutionSpace& exec) const = 0;

  /// \brief Of each column the largest number of rows among \p block_rows consecutive ones that
  /// have an entry there (`csr_largest_block_counts`).
  ///
  /// \throws Error where the operator does not tell
  virtual Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace& exec,
                                                             Ordinal block_rows) const = 0;

  /// \brief The levels of dependency of \p order (rows in order of visit; empty: 0, 1, ...); null
  /// where rows are visited one by one.
  virtual std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> schedule(
      const ExecutionSpace& exec, const VectorView<const Ordinal, memory_space>& order) const = 0;

  /// \brief One Kaczmarz sweep over the rows.
  ///
  /// \param schedule what `schedule` has made, whose order is followed instead of `sweep.order`,
  /// with the result of one visit after the other; null where there is none
  virtual void sweep(const ExecutionSpace& exec, const KaczmarzSchedule<ExecutionSpace>* schedule,
                     const KaczmarzSweep<Scalar, memory_space>& sweep,
                     const VectorView<const Scalar, memory_space>& b,
                     const VectorView<Scalar, memory_space>& x) const = 0;
};

/// \brief The entries on and along the diagonal of a square operator. By the members `diagonal`
/// and, for blocks, `diagonal_blocks`; `has_diagonal`, where there is one, decides.
template <class ExecutionSpace, class Scalar>
struct DiagonalAccess {
  using VectorType = VectorView<Scalar, typename ExecutionSpace::memory_space>;

  virtual ~DiagonalAccess() = default;

  /// \brief `d_i = A(i, i)`, 0 where it is not stored.
  virtual void diagonal(const ExecutionSpace& exec, const VectorType& d) const = 0;

  /// \brief The blocks of \p size rows and columns along the diagonal, row by row one after the
  /// other; what lies behind the last row is that of the identity.
  ///
  /// \throws Error where the operator does not tell them
  virtual void blocks(const ExecutionSpace& exec, int size, const VectorType& blocks) const = 0;
};

/// \brief The operator `diag(scale) A diag(scale)` of a square one, which multiplies as fast as A.
/// By the member `scaled`, and `scaled_in_float`; `scales_values`, where there is one, decides.
template <class ExecutionSpace, class Scalar>
struct Scaling {
  using ConstVectorType = VectorView<const Scalar, typename ExecutionSpace::memory_space>;

  virtual ~Scaling() = default;

  /// \throws DimensionMismatch
  virtual AnyOperator<ExecutionSpace, Scalar> scaled(const ExecutionSpace& exec,
                                                     const ConstVectorType& scale) const = 0;

  /// \brief True where `scaled_in_float` exists.
  virtual bool has_float() const = 0;

  /// \brief The same with values rounded to float, for vectors in double: nearly half of the bytes.
  ///
  /// \throws Error where that does not exist
  virtual AnyOperator<ExecutionSpace, Scalar> scaled_in_float(
      const ExecutionSpace& exec, const ConstVectorType& scale) const = 0;
};

/// \brief A product that leaves `x . y` behind. By the members `dot_sums`, if not 0, and
/// `apply_dot`.
template <class ExecutionSpace, class Scalar>
struct FusedDot {
  using memory_space = typename ExecutionSpace::memory_space;

  virtual ~FusedDot() = default;

  /// \brief How many sums a product leaves.
  virtual Offset num_sums() const = 0;

  /// \brief `y = A x` for a square operator, and `num_sums()` sums that add up to `x . y` in
  /// double.
  virtual void apply(const ExecutionSpace& exec, const VectorView<const Scalar, memory_space>& x,
                     const VectorView<Scalar, memory_space>& y,
                     const VectorView<double, memory_space>& sums) const = 0;
};

/// \brief Transposed products of some columns, a slab: an image slab by slab, so that the first can
/// be worked on while the next is formed. By the members `slab_unit`, `apply_transpose_columns`,
/// and where there are such, `prepare_slabs` and `slabs_run_together`.
template <class ExecutionSpace, class Scalar>
struct ColumnSlabs {
  using Input = MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>;
  using Output = MultiVectorView<Scalar, typename ExecutionSpace::memory_space>;

  virtual ~ColumnSlabs() = default;

  /// \brief Slabs begin at multiples of this, and end at one or with A; 0 where products cannot be
  /// cut, as before a transposed copy is built.
  virtual Ordinal unit() const = 0;

  /// \brief Forms what the slabs of `A^T X` have in common. Comes before the first of them, and
  /// again for another X or after another product.
  virtual void prepare(const ExecutionSpace& exec, const Input& X) const = 0;

  /// \brief True where slabs of one product with \p vectors vectors may be formed at the same time,
  /// on an instance each.
  virtual bool run_together(int vectors) const = 0;

  /// \brief `Y = alpha A(:, columns)^T X + beta Y` with Y `columns.size() x s`, with the bits of
  /// the same columns of the whole product.
  virtual void apply_transpose(const ExecutionSpace& exec, Scalar alpha, const Input& X,
                               Scalar beta, const Output& Y, RowRange columns) const = 0;
};

/// \brief The matrix that an operator is in CSR, for kernels that multiply by themselves. By the
/// members `csr` and `csr_transpose`.
template <class ExecutionSpace, class Scalar>
struct StoredCsr {
  using matrix_type = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;

  virtual ~StoredCsr() = default;

  /// \brief The matrix; null where it is spread over ranks.
  virtual const matrix_type* matrix() const = 0;
  /// \brief The transpose that the operator keeps, its rows sorted; null where there is none.
  virtual const matrix_type* transpose() const = 0;
};

/// \brief What an operator offers beside its products. A null pointer says that it does not.
template <class ExecutionSpace, class Scalar>
struct OperatorCapabilities {
  const RowAccess<ExecutionSpace, Scalar>* rows = nullptr;
  const DiagonalAccess<ExecutionSpace, Scalar>* diagonal = nullptr;
  const Scaling<ExecutionSpace, Scalar>* scaling = nullptr;
  const FusedDot<ExecutionSpace, Scalar>* dot = nullptr;
  const ColumnSlabs<ExecutionSpace, Scalar>* slabs = nullptr;
  const StoredCsr<ExecutionSpace, Scalar>* csr = nullptr;

  /// The ranks over which the rows are spread, by `A.row_ranks()`. `A.num_rows()` counts those that
  /// are here, and vectors with an entry for each row hold theirs: what is formed over such a
  /// vector is summed over the ranks.
  const Communicator<ExecutionSpace>* row_ranks = nullptr;
  /// The same of the columns, by `A.column_ranks()`. Where only rows are spread, every rank holds
  /// the same bits of vectors with an entry for each column.
  const Communicator<ExecutionSpace>* column_ranks = nullptr;

  /// Products are launches alone, which may be recorded and launched again: by `A.only_launches()`.
  /// A product that waits, allocates or asks the host does not, nor one whose kernels carry more
  /// than 256 bytes: Kokkos hands larger functors to a GPU through a buffer of the host that later
  /// launches overwrite.
  bool only_launches = false;
  /// A^T x adds in any order, so that its last bits vary from run to run: by
  /// `A.transposes_by_atomics()`.
  bool transposes_by_atomics = false;
};

}  // namespace Tomokkos
