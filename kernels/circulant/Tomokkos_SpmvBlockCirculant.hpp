// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_Spmv.hpp>
#include <functional>
#include <vector>

namespace Tomokkos {

/// \brief `automatic`: the variant for matrices of k blocks, with rows of so many entries, on a GPU
/// or a host, with \p vectors vectors at once. A pure function.
///
/// `replicated`, but for the fewest blocks, of which each is a product with a vector. With 150
/// blocks, in float, a thread with AVX-512 takes a 9th to a 21st of the time of `basic_mv` and 0.7
/// of that of `maxpy_8`. How often a row reads a row of X does not decide: `registers`, which has
/// no copies of X, takes 3 to 1.2 times as long for a reuse of 1 to 16.
CirculantVariant choose_circulant_variant(bool gpu, Ordinal blocks, double mean_row_length,
                                          int vectors = 1);

/// \brief A product by another library, for `library`: `Y = C X` with one vector, X and Y row-major
/// in memory of the execution space, in the order of its other work.
template <class Scalar>
using CirculantLibrary = std::function<void(const Scalar* X, Scalar* Y)>;

/// \brief The choices for a product with a block-circulant matrix, and the memory beside it.
///
/// For s vectors X replicated where the variant wants it: rows of `pitch s` values with
/// `X(l, j mod k)` at j, for j up to 2 k - 2, then zeros, and 256 more behind the last row (a
/// kernel may read 255 values beyond those that an entry meets); in float about `8 n_B k s` bytes.
/// Of `basic_mv` X, twice, and Y block by block, and the block row in CSR, another
/// `(4 + sizeof(Scalar)) nnz` bytes. Of `library` Y, and X where s > 1.
///
/// Serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class BlockCirculantPlan {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = BlockCirculantMatrix<Scalar, memory_space>;

  BlockCirculantPlan() = default;
  /// \brief Chooses where \p variant is `automatic`, and allocates what products with \p vectors
  /// vectors need. Complete on return. Throws `Error`, `MemoryError`.
  ///
  /// \param library of `library`, which throws `Error` without one
  BlockCirculantPlan(const ExecutionSpace& exec, const matrix_type& A,
                     CirculantVariant variant = CirculantVariant::automatic, int vectors = 1,
                     CirculantLibrary<Scalar> library = {});

  /// \brief Never `automatic` but for a plan of nothing.
  CirculantVariant variant() const { return variant_; }
  /// \brief Allocates what products with \p vectors vectors need.
  void reserve(const ExecutionSpace& exec, const matrix_type& A, int vectors) const;
  std::size_t memory_bytes() const {
    return work_.extent(0) * sizeof(Scalar) + block_row_.memory_bytes() +
           block_row_plan_.memory_bytes();
  }

  /// \brief For the products.
  const Vector<Scalar, memory_space>& work() const { return work_; }
  const CirculantLibrary<Scalar>& library() const { return library_; }
  const CsrMatrix<Scalar, memory_space>& block_row() const { return block_row_; }
  const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, memory_space>>& block_row_plan() const {
    return block_row_plan_;
  }

 private:
  CirculantVariant variant_ = CirculantVariant::automatic;
  CirculantLibrary<Scalar> library_;
  mutable Vector<Scalar, memory_space> work_;
  CsrMatrix<Scalar, memory_space> block_row_;
  SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, memory_space>> block_row_plan_;
};

/// \brief `Y = alpha C X + beta Y` for s vectors: X is `num_cols() x s`, Y `num_rows() x s`, both
/// row-major, in the order `CirculantOrder::rotations`; `beta == 0` overwrites.
///
/// Several vectors take one pass over the matrix: the s values of each place lie side by side, so
/// that a row of X has k s of them and an entry is a rotation by `block s`. The same bits on every
/// run and for any number of threads. An infinity or a NaN in X reaches only the rows that touch
/// it. No fence; allocates where the plan was made for fewer vectors. Throws `DimensionMismatch`,
/// `Error` for a plan of nothing, or of `basic_mv` for another matrix.
///
/// Cost: `2 nnz k s` operations, the matrix once (by `basic_mv` k times), and a row of X, from a
/// cache, for each entry. Variants with X replicated read X once and write it twice before; by
/// `library` several vectors are one after the other.
template <class ExecutionSpace, class Scalar>
void spmv(const ExecutionSpace& exec, const BlockCirculantPlan<ExecutionSpace, Scalar>& plan,
          const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
          Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
          Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y);

/// \brief What the transposed product without a transposed copy needs: on a GPU sums in whole
/// numbers of a unit (see `RayTilesPlan`), on a host the parts of X that threads own.
///
/// The error of that is absolute, for every entry of the result at most (entries of the in-sector
/// column) 2^-30 max|y| max_l sum of |values| of in-sector column l, where a column has more than
/// four million entries 2^-29, in double 2^-60 instead.
template <class ExecutionSpace, class Scalar>
class CirculantTransposePlan {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = BlockCirculantMatrix<Scalar, memory_space>;
  using integer_type = std::conditional_t<std::is_same_v<Scalar, float>, int, long long>;

  CirculantTransposePlan() = default;
  /// \brief On a GPU reads A three times to bound its sums, with 8 n_B bytes beside it. Throws
  /// `Error` for values that are not finite, and sums of columns that are not between 2^-90 and
  /// 2^90 (in double 2^-900 and 2^900), `MemoryError`.
  CirculantTransposePlan(const ExecutionSpace& exec, const matrix_type& A, int vectors = 1);

  void reserve(const ExecutionSpace& exec, const matrix_type& A, int vectors) const;
  std::size_t memory_bytes() const {
    return sums_.extent(0) * sizeof(integer_type) + faults_.extent(0) +
           bound_.extent(0) * sizeof(double);
  }

  /// \brief For the products: zero between them.
  const Vector<integer_type, memory_space>& sums() const { return sums_; }
  const Vector<unsigned char, memory_space>& faults() const { return faults_; }
  const Vector<double, memory_space>& bound() const { return bound_; }
  double column_bound() const { return column_bound_; }
  /// \brief The most entries of an in-sector column, for the rounding of so many terms.
  Offset terms() const { return terms_; }
  /// \brief Of hosts: ranges of in-sector columns with about as many entries each.
  const std::vector<Ordinal>& column_begins() const { return column_begins_; }

 private:
  mutable Vector<integer_type, memory_space> sums_;
  mutable Vector<unsigned char, memory_space> faults_;
  Vector<double, memory_space> bound_;
  double column_bound_ = 0;
  Offset terms_ = 0;
  std::vector<Ordinal> column_begins_;
};

/// \brief `X = alpha C^T Y + beta X` from C itself: X is `num_cols() x s`, Y `num_rows() x s`.
/// `beta == 0` overwrites. The same bits on every run, on hosts for any number of threads.
///
/// On a GPU whole numbers are added by atomics; on hosts threads own parts of X. Throws
/// `DimensionMismatch`.
template <class ExecutionSpace, class Scalar>
void spmv_transpose(const ExecutionSpace& exec,
                    const CirculantTransposePlan<ExecutionSpace, Scalar>& plan,
                    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& Y,
                    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& X);

}  // namespace Tomokkos
