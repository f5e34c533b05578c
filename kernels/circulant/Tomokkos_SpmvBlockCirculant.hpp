// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_Spmv.hpp>
#include <functional>
#include <vector>

namespace Tomokkos {

/// \brief Chooses the variant for `automatic`, from the number of blocks, the mean length of a row
/// and the number of vectors. Pure function.
///
/// Returns `replicated` unless there are very few blocks; then each is multiplied with a vector
/// (`basic_mv`). With 150 blocks, in float, a thread with AVX-512 needs a 9th to a 21st of the time
/// of `basic_mv` and 0.7 of that of `maxpy_8`. The reuse of rows of X does not matter: `registers`,
/// which needs no copies of X, takes 3 to 1.2 times as long for a reuse of 1 to 16.
CirculantVariant choose_circulant_variant(bool gpu, Ordinal blocks, double mean_row_length,
                                          int vectors = 1);

/// \brief Product of another library for the variant `library`: `Y = C X` with one vector.
///
/// X and Y are row-major in memory of the execution space. The function must run in order with the
/// other work of that space.
template <class Scalar>
using CirculantLibrary = std::function<void(const Scalar* X, Scalar* Y)>;

/// \brief Variant of a product with a block-circulant matrix, and its workspace.
///
/// Workspace for s vectors:
///  - variants that replicate X: rows of `pitch s` values with `X(l, j mod k)` at j, for j up to
///    2 k - 2, then zeros, and 256 more zeros after the last row (a kernel may read 255 values
///    beyond those of an entry). In float about `8 n_B k s` bytes;
///  - `basic_mv`: X, twice, and Y block by block, and the block row in CSR, another
///    `(4 + sizeof(Scalar)) nnz` bytes;
///  - `library`: Y, and X if s > 1.
///
/// A plan serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class BlockCirculantPlan {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = BlockCirculantMatrix<Scalar, memory_space>;

  BlockCirculantPlan() = default;
  /// \brief Chooses a variant if \p variant is `automatic`, and allocates the workspace for
  /// products with \p vectors vectors. The plan is complete on return.
  ///
  /// \param library product of the library, required by the variant `library`
  /// \throws Error if \p library is missing or \p vectors is below 1
  /// \throws MemoryError
  BlockCirculantPlan(const ExecutionSpace& exec, const matrix_type& A,
                     CirculantVariant variant = CirculantVariant::automatic, int vectors = 1,
                     CirculantLibrary<Scalar> library = {});

  /// \brief Variant in use; `automatic` only for an empty plan.
  CirculantVariant variant() const { return variant_; }
  /// \brief Allocates the workspace for products with \p vectors vectors.
  void reserve(const ExecutionSpace& exec, const matrix_type& A, int vectors) const;
  std::size_t memory_bytes() const {
    return work_.extent(0) * sizeof(Scalar) + block_row_.memory_bytes() +
           block_row_plan_.memory_bytes();
  }

  /// \brief Workspace and operators used by the products.
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

/// \brief Computes `Y = alpha C X + beta Y` for s vectors; `beta == 0` overwrites Y.
///
/// X is `num_cols() x s`, Y is `num_rows() x s`, both row-major, in the order
/// `CirculantOrder::rotations`. Several vectors need only one pass over the matrix: the s values of
/// each place are adjacent, so that a row of X has k s values and an entry is a rotation by
/// `block s`. The bits are the same on every run and for any number of threads. An infinity or a
/// NaN in X affects only the rows with an entry in its column. No fence; allocates if the plan was
/// made for fewer vectors.
///
/// Cost: `2 nnz k s` operations; reads the matrix once (`basic_mv` k times) and, for each entry, a
/// row of X from a cache. Variants with X replicated first read X once and write it twice.
/// `library` processes several vectors one by one.
///
/// \throws Error for an empty plan, or for a plan of `basic_mv` of another matrix
/// \throws DimensionMismatch
template <class ExecutionSpace, class Scalar>
void spmv(const ExecutionSpace& exec, const BlockCirculantPlan<ExecutionSpace, Scalar>& plan,
          const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
          Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
          Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y);

/// \brief Workspace and bounds of the transposed product without a transposed copy: on a GPU
/// integer sums (see `RayTilesPlan`), on a host the parts of X that threads own.
///
/// The error of the integer sums is absolute: for every entry of the result at most (entries of the
/// in-sector column) 2^-30 max|y| max_l sum of |values| of in-sector column l. If a column has more
/// than four million entries, 2^-29; in double 2^-60 instead.
template <class ExecutionSpace, class Scalar>
class CirculantTransposePlan {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = BlockCirculantMatrix<Scalar, memory_space>;
  using integer_type = std::conditional_t<std::is_same_v<Scalar, float>, int, long long>;

  CirculantTransposePlan() = default;
  /// \brief Prepares transposed products with \p vectors vectors. On a GPU reads A three times to
  /// bound its sums, with temporary memory of 8 n_B bytes.
  ///
  /// \throws Error for values that are not finite, or if the largest column sum is not between
  ///   2^-90 and 2^90 (in double 2^-900 and 2^900)
  /// \throws MemoryError
  CirculantTransposePlan(const ExecutionSpace& exec, const matrix_type& A, int vectors = 1);

  void reserve(const ExecutionSpace& exec, const matrix_type& A, int vectors) const;
  std::size_t memory_bytes() const {
    return sums_.extent(0) * sizeof(integer_type) + faults_.extent(0) +
           bound_.extent(0) * sizeof(double);
  }

  /// \brief Sums in progress, flags of sums that are not finite, and bounds. Used by the products;
  /// sums and flags are zero between them.
  const Vector<integer_type, memory_space>& sums() const { return sums_; }
  const Vector<unsigned char, memory_space>& faults() const { return faults_; }
  const Vector<double, memory_space>& bound() const { return bound_; }
  double column_bound() const { return column_bound_; }
  /// \brief Largest number of entries of an in-sector column, which bounds the number of rounded
  /// terms.
  Offset terms() const { return terms_; }
  /// \brief Ranges of in-sector columns with about the same number of entries each. Hosts only.
  const std::vector<Ordinal>& column_begins() const { return column_begins_; }

 private:
  mutable Vector<integer_type, memory_space> sums_;
  mutable Vector<unsigned char, memory_space> faults_;
  Vector<double, memory_space> bound_;
  double column_bound_ = 0;
  Offset terms_ = 0;
  std::vector<Ordinal> column_begins_;
};

/// \brief Computes `X = alpha C^T Y + beta X` from C itself; `beta == 0` overwrites X.
///
/// X is `num_cols() x s`, Y is `num_rows() x s`. The bits are the same on every run, and on hosts
/// for any number of threads. On a GPU integers are added by atomics; on hosts threads own parts of
/// X.
///
/// \throws DimensionMismatch
template <class ExecutionSpace, class Scalar>
void spmv_transpose(const ExecutionSpace& exec,
                    const CirculantTransposePlan<ExecutionSpace, Scalar>& plan,
                    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& Y,
                    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& X);

}  // namespace Tomokkos
