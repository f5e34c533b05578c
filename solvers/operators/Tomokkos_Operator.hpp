// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_KaczmarzSchedule.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <concepts>
#include <memory>

namespace Tomokkos {

// What a solver asks of a matrix. The concepts name the least; whatever an operator offers beyond
// them is found by the functions below (`operator_*`), which otherwise fall back on the plain
// products. So a user's own operator is a class with three members, and a format that can do better
// does so without any solver knowing.
//
// X and Y are row-major n x s multivectors (s right-hand sides, slices of a stack); a vector is n
// x 1.

/// \brief `Y = alpha A X + beta Y` with X `num_cols() x s` and Y `num_rows() x s`. `beta == 0`
/// overwrites Y, whatever it held.
template <class Operator, class ExecutionSpace, class Scalar>
concept LinearOperator =
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y) {
  { A.num_rows() } -> std::convertible_to<Ordinal>;
  { A.num_cols() } -> std::convertible_to<Ordinal>;
  A.apply(exec, alpha, X, beta, Y);
};

/// \brief A linear operator with `Y = alpha A^T X + beta Y`, X `num_rows() x s` and Y `num_cols() x
/// s`. How the transpose is done is the operator's choice, never the solver's.
template <class Operator, class ExecutionSpace, class Scalar>
concept TransposableOperator = LinearOperator<Operator, ExecutionSpace, Scalar> &&
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y) {
  A.apply_transpose(exec, alpha, X, beta, Y);
};

/// \brief An operator of which a contiguous range of rows is an operator, too: `apply(exec, alpha,
/// X, beta, Y, rows)` with Y `rows.size() x s` forms `Y = alpha A(rows, :) X + beta Y`.
template <class Operator, class ExecutionSpace, class Scalar>
concept RowSubsettable = LinearOperator<Operator, ExecutionSpace, Scalar> &&
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y, RowRange rows) {
  A.apply(exec, alpha, X, beta, Y, rows);
};

/// \brief The same of the transposed product: `apply_transpose(exec, alpha, X, beta, Y, rows)` with
/// X `rows.size() x s` forms `Y = alpha A(rows, :)^T X + beta Y`.
template <class Operator, class ExecutionSpace, class Scalar>
concept TransposedRowSubsettable = TransposableOperator<Operator, ExecutionSpace, Scalar> &&
    requires(const Operator& A, const ExecutionSpace& exec, Scalar alpha, Scalar beta,
             MultiVectorView<const Scalar, typename ExecutionSpace::memory_space> X,
             MultiVectorView<Scalar, typename ExecutionSpace::memory_space> Y, RowRange rows) {
  A.apply_transpose(exec, alpha, X, beta, Y, rows);
};

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

/// \brief Bytes that a product of \p A with \p vectors vectors must move, 0 when it does not tell.
/// By `A.apply_bytes(vectors)`; from `A.apply_bytes()`, of one vector, as if all vectors took one
/// pass over A.
template <class Scalar, class Operator>
std::size_t operator_apply_bytes(const Operator& A, int vectors = 1);

/// \brief The same of the transposed product, by `A.apply_transpose_bytes`.
template <class Scalar, class Operator>
std::size_t operator_apply_transpose_bytes(const Operator& A, int vectors = 1);

/// \brief Lets \p A allocate what products with up to \p vectors vectors need, so that none of
/// them does. By `A.reserve(exec, vectors)`; nothing where that does not exist.
template <class ExecutionSpace, class Operator>
void operator_reserve(const ExecutionSpace& exec, const Operator& A, int vectors) {
  if constexpr (requires { A.reserve(exec, vectors); }) A.reserve(exec, vectors);
}

/// \brief Lets \p A build the copy that its transposed products need, so that none of them does. By
/// `A.reserve_transpose(exec)`; nothing where that does not exist.
template <class ExecutionSpace, class Operator>
void operator_reserve_transpose(const ExecutionSpace& exec, const Operator& A) {
  if constexpr (requires { A.reserve_transpose(exec); }) A.reserve_transpose(exec);
}

/// \brief True when \p A can be transposed.
template <class ExecutionSpace, class Scalar, class Operator>
bool operator_has_transpose(const Operator& A);

/// \brief True when products of \p A and of its transpose can be restricted to a range of rows.
template <class ExecutionSpace, class Scalar, class Operator>
bool operator_takes_ranges(const Operator& A);

/// \brief `Y = alpha A(rows, :) X + beta Y`. Throws `Error` when \p A cannot be restricted and \p
/// rows is not all.
template <class ExecutionSpace, class Scalar, class Operator>
void operator_apply(const ExecutionSpace& exec, const Operator& A, Scalar alpha,
                    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X,
                    Scalar beta,
                    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y,
                    RowRange rows = all_rows);

/// \brief `Y = alpha A(rows, :)^T X + beta Y`. Throws `Error` when \p A has no transpose, or cannot
/// be restricted and \p rows is not all.
template <class ExecutionSpace, class Scalar, class Operator>
void operator_apply_transpose(
    const ExecutionSpace& exec, const Operator& A, Scalar alpha,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X, Scalar beta,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y,
    RowRange rows = all_rows);

/// \brief The ranks over which the rows of A are spread, by `A.row_ranks()`; nullptr where all of
/// them are here. `A.num_rows()` counts those that are here, and vectors with an entry for each row
/// hold theirs: what is formed over such a vector is summed over the ranks.
template <class ExecutionSpace, class Operator>
const Communicator<ExecutionSpace>* operator_row_ranks(const Operator& A) {
  if constexpr (requires { A.row_ranks(); })
    return A.row_ranks();
  else
    return nullptr;
}

/// \brief The same of the columns, by `A.column_ranks()`. Where only rows are spread, every rank
/// holds the same bits of vectors with an entry for each column.
template <class ExecutionSpace, class Operator>
const Communicator<ExecutionSpace>* operator_column_ranks(const Operator& A) {
  if constexpr (requires { A.column_ranks(); })
    return A.column_ranks();
  else
    return nullptr;
}

/// \brief Columns between which a transposed product can be cut
/// (`operator_apply_transpose_columns`) are multiples of this, by `A.slab_unit()`; 0 where it
/// cannot.
template <class Operator>
Ordinal operator_slab_unit(const Operator& A) {
  if constexpr (requires { A.slab_unit(); })
    return A.slab_unit();
  else
    return 0;
}

/// \brief What the slabs of `A^T X` have in common, by `A.prepare_slabs`: comes before the first of
/// them, and again for another X or after another product.
template <class ExecutionSpace, class Scalar, class Operator>
void operator_prepare_slabs(
    const ExecutionSpace& exec, const Operator& A,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X) {
  if constexpr (requires { A.prepare_slabs(exec, X); }) A.prepare_slabs(exec, X);
}

/// \brief True where slabs of one transposed product with \p vectors vectors may be formed at the
/// same time, on an instance each, by `A.slabs_run_together(vectors)`.
template <class Operator>
bool operator_slabs_run_together(const Operator& A, int vectors) {
  if constexpr (requires { A.slabs_run_together(vectors); })
    return A.slabs_run_together(vectors);
  else
    return false;
}

/// \brief `Y = alpha A(:, columns)^T X + beta Y` with Y `columns.size() x s`: an image slab by
/// slab, so that the first can be worked on while the next is formed. \p columns begin at a
/// multiple of `operator_slab_unit`, and end at one or with A; `operator_prepare_slabs` comes
/// before the first. The bits of the same columns of the whole product. By
/// `A.apply_transpose_columns`; throws `Error` where that does not exist.
template <class ExecutionSpace, class Scalar, class Operator>
void operator_apply_transpose_columns(
    const ExecutionSpace& exec, const Operator& A, Scalar alpha,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X, Scalar beta,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y, RowRange columns) {
  if constexpr (requires { A.apply_transpose_columns(exec, alpha, X, beta, Y, columns); }) {
    A.apply_transpose_columns(exec, alpha, X, beta, Y, columns);
  } else {
    (void)exec, (void)A, (void)alpha, (void)X, (void)beta, (void)Y, (void)columns;
    throw Refused("this operator's transposed product cannot be cut into slabs of columns");
  }
}

/// \brief `d_i = A(i, i)` for a square operator. By `A.diagonal(exec, d)` where it exists;
/// otherwise by a product with each unit vector (restricted to its row where \p A allows): right,
/// slow, and meant for small operators.
template <class ExecutionSpace, class Scalar, class Operator>
void operator_diagonal(const ExecutionSpace& exec, const Operator& A,
                       const VectorView<Scalar, typename ExecutionSpace::memory_space>& d);

/// \brief True when `operator_diagonal` need not multiply unit vectors.
template <class ExecutionSpace, class Scalar, class Operator>
bool operator_tells_diagonal(const Operator& A);

/// \brief True when `A.scaled(exec, scale)`, the operator `diag(scale) A diag(scale)`, multiplies
/// as fast as A: a matrix that scales its values does, a wrapper that scales vectors does not.
template <class ExecutionSpace, class Scalar, class Operator>
bool operator_scales_values(const Operator& A);

/// \brief The blocks of \p size rows and columns along the diagonal of a square operator, row by
/// row one after the other; what lies behind the last row is that of the identity. By
/// `A.diagonal_blocks(exec, size, blocks)`; throws `Error` where that does not exist.
template <class ExecutionSpace, class Scalar, class Operator>
void operator_diagonal_blocks(
    const ExecutionSpace& exec, const Operator& A, int size,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& blocks);

/// \brief True when products of A are launches alone, which may be recorded and launched again: A
/// has said so by `A.only_launches()`. A product that waits, allocates or asks the host does not,
/// nor one whose kernels carry more than 256 bytes: Kokkos hands larger functors to a GPU through a
/// buffer of the host that later launches overwrite.
template <class Operator>
bool operator_only_launches(const Operator& A) {
  if constexpr (requires { A.only_launches(); })
    return A.only_launches();
  else
    return false;
}

/// \brief The CSR matrix that A is, by `A.csr()`; nullptr where A is another thing. For kernels
/// that multiply by themselves.
template <class ExecutionSpace, class Scalar, class Operator>
const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>* operator_csr(const Operator& A) {
  using Csr = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;
  if constexpr (requires {
                  { A.csr() } -> std::convertible_to<const Csr*>;
                })
    return A.csr();
  else
    return nullptr;
}

/// \brief The transpose that A keeps in CSR, its rows sorted, by `A.csr_transpose()`; nullptr where
/// there is none.
template <class ExecutionSpace, class Scalar, class Operator>
const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>* operator_csr_transpose(
    const Operator& A) {
  using Csr = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;
  if constexpr (requires {
                  { A.csr_transpose() } -> std::convertible_to<const Csr*>;
                })
    return A.csr_transpose();
  else
    return nullptr;
}

/// \brief True where A^T x adds in any order, so that its last bits vary from run to run: A has
/// said so by `A.transposes_by_atomics()`.
template <class Operator>
bool operator_transposes_by_atomics(const Operator& A) {
  if constexpr (requires { A.transposes_by_atomics(); })
    return A.transposes_by_atomics();
  else
    return false;
}

/// \brief How many sums `operator_apply_dot` leaves: `A.dot_sums()`, 0 where A has no such product.
template <class Operator>
Offset operator_dot_sums(const Operator& A);

/// \brief `y = A x` for a square operator, and sums, `operator_dot_sums(A)` of them, that add up to
/// `x . y` in double. By `A.apply_dot(exec, x, y, sums)`; throws `Error` where that does not exist.
template <class ExecutionSpace, class Scalar, class Operator>
void operator_apply_dot(const ExecutionSpace& exec, const Operator& A,
                        const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
                        const VectorView<Scalar, typename ExecutionSpace::memory_space>& y,
                        const VectorView<double, typename ExecutionSpace::memory_space>& sums);

/// \brief `|a_i|^2` of every row in double, 0 of one without entries, by
/// `A.row_squared_norms(exec)`; throws `Error` where that does not exist.
template <class ExecutionSpace, class Scalar, class Operator>
Vector<double, typename ExecutionSpace::memory_space> operator_row_squared_norms(
    const ExecutionSpace& exec, const Operator& A);

/// \brief Of each column the largest number of rows among \p block_rows consecutive ones that have
/// an entry there (`csr_largest_block_counts`), by `A.largest_block_counts(exec, block_rows)`;
/// throws `Error` where that does not exist.
template <class ExecutionSpace, class Scalar, class Operator>
Vector<Ordinal, typename ExecutionSpace::memory_space> operator_largest_block_counts(
    const ExecutionSpace& exec, const Operator& A, Ordinal block_rows);

/// \brief One Kaczmarz sweep over the rows of \p A. By `A.kaczmarz_sweep(exec, sweep, b, x)` where
/// it exists; otherwise row by row from restricted transposed products, each row formed as a dense
/// vector: right, slow, and with an allocation and a fence per sweep. Throws `Error` when \p A
/// offers neither.
template <class ExecutionSpace, class Scalar, class Operator>
void operator_kaczmarz_sweep(
    const ExecutionSpace& exec, const Operator& A,
    const KaczmarzSweep<Scalar, typename ExecutionSpace::memory_space>& sweep,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& b,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& x);

/// \brief The levels of dependency of \p order (rows in order of visit; empty: 0, 1, ...) on \p A,
/// by `A.kaczmarz_schedule(exec, order)`; null where that does not exist.
template <class ExecutionSpace, class Scalar, class Operator>
std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> operator_kaczmarz_schedule(
    const ExecutionSpace& exec, const Operator& A,
    const VectorView<const Ordinal, typename ExecutionSpace::memory_space>& order);

/// \brief One Kaczmarz sweep by the levels of a schedule that \p A has made, whose order it
/// follows instead of `sweep.order`: exactly what one visit after the other does. By
/// `A.kaczmarz_sweep_levels(exec, schedule, sweep, b, x)`; throws `Error` where that does not
/// exist.
template <class ExecutionSpace, class Scalar, class Operator>
void operator_kaczmarz_sweep_levels(
    const ExecutionSpace& exec, const Operator& A, const KaczmarzSchedule<ExecutionSpace>& schedule,
    const KaczmarzSweep<Scalar, typename ExecutionSpace::memory_space>& sweep,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& b,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& x);

}  // namespace Tomokkos

#include <impl/Tomokkos_Operator_impl.hpp>
