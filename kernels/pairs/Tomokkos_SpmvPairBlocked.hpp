// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_PairBlockedMatrix.hpp>
#include <Tomokkos_StoredProducts.hpp>

namespace Tomokkos {

/// \brief Plan of products with paired rows. A thread processes a pair (on a host a run of pairs):
/// it sums the first row, writes the sum at the junction bit, and sums the second row.
///
/// A product reads the stored matrix once, each pair up to its padding, and writes y at the rows of
/// A, which are not adjacent. Sums of a row keep the error bound of the CSR products. The bits are
/// the same on every run and for any number of threads. One launch.
///
/// Products with several vectors (`spmm`) read the matrix once for all of them, on a GPU once for
/// each 32. Every vector has the bits that it has alone.
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace&, const matrix_type&, const SpmvOptions& options = {})
      : PlanWithoutMemory(options) {}
};

/// \brief Method of adding the entries of a pair to y in `y = alpha A^T x + beta y`.
///
/// The published method uses neither and loses additions: columns within a group in lock step may
/// be distinct, but those of two groups are not.
enum class PairTranspose {
  atomic,      ///< floating-point atomics; the last bits vary from run to run
  fixed_point  ///< integer multiples of a unit; the same bits on every run
};

template <>
struct EnumNames<PairTranspose> {
  static constexpr std::array<std::pair<PairTranspose, std::string_view>, 2> names{
      {{PairTranspose::atomic, "atomic"}, {PairTranspose::fixed_point, "fixed_point"}}};
};

/// \brief Computes `Y = alpha A(rows, :) X + beta Y` with row-major X (`A.num_cols x s`) and Y
/// (`rows.size() x s`); `beta == 0` overwrites Y.
///
/// Reads the entries of the rows of the range, and the list of all rows. If one row of a pair is in
/// the range, only its entries are read. Rows of a range are rarely neighbours in memory: on a GPU
/// an entry then costs a sector of 32 bytes for its column and one for its value, up to eight times
/// what it costs in a product with all rows. The bits are those of the product with all rows.
///
/// \throws Error when the range exceeds the rows
/// \throws DimensionMismatch
template <class ExecutionSpace, class Scalar>
void spmm(const ExecutionSpace& exec,
          const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows,
          Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
          Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y);

/// \brief Workspace and bounds of the transposed product: none for `atomic`, 64-bit sums for
/// `fixed_point`.
///
/// The sums of `fixed_point` are whole multiples of a unit. The unit is a power of two that follows
/// from the largest entry of x and the largest column sum of |A|. Every vector has its own. The
/// resulting error is absolute: at most (entries of the column) 2^-60 max|x| max_j sum_i |a_ij|,
/// beyond four million rows 2^-59. No unit is below 2^-1022.
///
/// A plan serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class PairBlockedPlan {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = PairBlockedMatrix<Scalar, memory_space>;

  PairBlockedPlan() = default;
  /// \brief Prepares a method. `fixed_point` allocates 9 bytes a column and reads A twice to bound
  /// its sums, with some fences.
  ///
  /// \throws Error for values that are not finite, or if the largest value is not between 2^-900
  ///   and 2^900
  /// \throws MemoryError
  PairBlockedPlan(const ExecutionSpace& exec, const matrix_type& A,
                  PairTranspose method = PairTranspose::atomic);

  /// \brief Largest number of vectors that `fixed_point` adds up in one pass over A.
  static constexpr int most_fixed_vectors = 8;

  /// \brief Allocates the sums of \p vectors vectors, at most `most_fixed_vectors`, which a pass
  /// then adds up together: 9 bytes a column and vector. Copies of a plan do not share what it
  /// allocates. No effect with `atomic`, whose passes need no memory.
  ///
  /// \throws MemoryError
  void reserve(const ExecutionSpace& exec, int vectors) const;

  PairTranspose method() const { return method_; }
  /// \brief Number of columns of the matrix.
  Ordinal num_columns() const { return num_columns_; }
  /// \brief Number of vectors that a pass of `fixed_point` adds up.
  int num_vectors() const { return num_vectors_; }
  std::size_t memory_bytes() const {
    return sums_.extent(0) * sizeof(long long) + faults_.extent(0) +
           bound_.extent(0) * sizeof(double);
  }

  /// \brief Sums of the columns in progress, vector beside vector. Used by the products; zero
  /// between them.
  const Vector<long long, memory_space>& sums() const { return sums_; }
  /// \brief Flags of the columns: 1 if a sum is not finite. Used by the products; zero between
  /// them.
  const Vector<unsigned char, memory_space>& faults() const { return faults_; }
  /// \brief Largest entry of each vector. Used by the products.
  const Vector<double, memory_space>& bound() const { return bound_; }
  /// \brief Upper bound of the sums of absolute values of the columns.
  double column_bound() const { return column_bound_; }

 private:
  PairTranspose method_ = PairTranspose::atomic;
  Ordinal num_columns_ = 0;
  mutable int num_vectors_ = 0;
  mutable Vector<long long, memory_space> sums_;
  mutable Vector<unsigned char, memory_space> faults_;
  mutable Vector<double, memory_space> bound_;
  double column_bound_ = 0;
};

/// \brief Computes `y = alpha A^T x + beta y` from the same storage, with x of length `A.num_rows`
/// and y of length `A.num_cols`; `beta == 0` overwrites y.
///
/// A thread processes a pair of rows and adds `a_ij x_i` to `y_j` entry by entry, in lock step with
/// its neighbours. At each place, the additions of a group have distinct columns as far as these
/// were spread. If x contains an infinity or a NaN, it reaches the columns of that row; with
/// `fixed_point` they become NaN. Reads the stored matrix once, with one addition to memory for
/// each entry. Two launches, three with `fixed_point`; no fence, no allocation.
///
/// \throws Error for a plan of another matrix
/// \throws DimensionMismatch
template <class ExecutionSpace, class Scalar>
void spmv_transpose(const ExecutionSpace& exec, const PairBlockedPlan<ExecutionSpace, Scalar>& plan,
                    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
                    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y);

/// \brief Computes `Y = alpha A(rows, :)^T X + beta Y` with row-major X (`rows.size() x s`) and Y
/// (`A.num_cols x s`); `beta == 0` overwrites Y.
///
/// Reads the entries of the rows once: for all vectors (on a GPU for each 32 of them) with
/// `atomic`, for each `plan.num_vectors()` of them with `fixed_point`. Every vector has the bits
/// that it has alone, except with `atomic`. A range reads as described for `spmm`. With
/// `fixed_point` all sums of columns are read and reset, also for a range. No fence, no allocation.
///
/// \throws Error for a plan of another matrix, and when the range exceeds the rows
/// \throws DimensionMismatch
template <class ExecutionSpace, class Scalar>
void spmm_transpose(const ExecutionSpace& exec, const PairBlockedPlan<ExecutionSpace, Scalar>& plan,
                    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    RowRange rows, Coefficient<Scalar> alpha,
                    const InputMultiVector<ExecutionSpace, Scalar>& X, Coefficient<Scalar> beta,
                    const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
