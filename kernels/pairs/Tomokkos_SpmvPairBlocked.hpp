// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_PairBlockedMatrix.hpp>
#include <Tomokkos_StoredProducts.hpp>

namespace Tomokkos {

/// \brief Pairs of rows: a thread has a pair (on a host a run of pairs), adds up the first row,
/// puts its sum aside at the bit of the junction, goes on with the second and writes both.
///
/// Reads the stored matrix once, of a pair up to its padding, and writes y to the rows of A, which
/// lie apart. Sums of a row keep the bound of the CSR products; the bits are the same on every run
/// and for any number of threads. One launch.
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace&, const matrix_type&, const SpmvOptions& options = {})
      : PlanWithoutMemory(options) {}
};

/// \brief How the entries of a pair are added to y in `y = alpha A^T x + beta y`. Without either,
/// as published, additions are lost: the columns of one group in lock step may be distinct, those
/// of two groups are not.
enum class PairTranspose {
  atomic,      ///< floating-point atomics; the last bits vary from run to run
  fixed_point  ///< whole numbers of a unit; the same bits on every run
};

template <>
struct EnumNames<PairTranspose> {
  static constexpr std::array<std::pair<PairTranspose, std::string_view>, 2> names{
      {{PairTranspose::atomic, "atomic"}, {PairTranspose::fixed_point, "fixed_point"}}};
};

/// \brief What the transposed product needs beside the matrix: nothing for `atomic`; for
/// `fixed_point` sums of 64 bits.
///
/// There sums are whole numbers of a unit, a power of two that the largest entry of x and the
/// largest sum of a column of |A| decide. The error of that is absolute: at most (entries of the
/// column) 2^-60 max|x| max_j sum_i |a_ij|, beyond four million rows 2^-59. No unit is below
/// 2^-1022. Serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class PairBlockedPlan {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = PairBlockedMatrix<Scalar, memory_space>;

  PairBlockedPlan() = default;
  /// \brief For `fixed_point` allocates 9 bytes a column and reads A twice to bound its sums, with
  /// some fences. Throws `Error` for values that are not finite, or whose largest is not between
  /// 2^-900 and 2^900; `MemoryError`.
  PairBlockedPlan(const ExecutionSpace& exec, const matrix_type& A,
                  PairTranspose method = PairTranspose::atomic);

  PairTranspose method() const { return method_; }
  std::size_t memory_bytes() const {
    return sums_.extent(0) * sizeof(long long) + faults_.extent(0) +
           bound_.extent(0) * sizeof(double);
  }

  /// \brief For the products: zero between them.
  const Vector<long long, memory_space>& sums() const { return sums_; }
  /// \brief For the products: 1 where a sum is no finite number; zero between them.
  const Vector<unsigned char, memory_space>& faults() const { return faults_; }
  /// \brief For the products: the largest entry of x.
  const Vector<double, memory_space>& bound() const { return bound_; }
  /// \brief At least the largest sum of absolute values of a column.
  double column_bound() const { return column_bound_; }

 private:
  PairTranspose method_ = PairTranspose::atomic;
  Vector<long long, memory_space> sums_;
  Vector<unsigned char, memory_space> faults_;
  Vector<double, memory_space> bound_;
  double column_bound_ = 0;
};

/// \brief `y = alpha A^T x + beta y` from the same storage, x of length `A.num_rows`, y of length
/// `A.num_cols`; `beta == 0` overwrites y.
///
/// A thread has a pair of rows and adds `a_ij x_i` to `y_j` entry by entry, in lock step with its
/// neighbours, so that a group's additions of a place meet distinct columns, as far as these were
/// spread. An infinity or a NaN in x reaches the columns that its row has, with `fixed_point` as
/// NaN. Reads the stored matrix once; an addition to memory for each entry. Two launches, with
/// `fixed_point` three, no fence, no allocation. Throws `DimensionMismatch`, and `Error` for a plan
/// of another matrix.
template <class ExecutionSpace, class Scalar>
void spmv_transpose(const ExecutionSpace& exec, const PairBlockedPlan<ExecutionSpace, Scalar>& plan,
                    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
                    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y);

}  // namespace Tomokkos
