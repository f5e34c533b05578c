// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_VolumeGeometry.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "Tomokkos_BenchCandidate.hpp"
#include "Tomokkos_BenchCirculantVectors.hpp"
#include "Tomokkos_BenchProducts.hpp"
#include "Tomokkos_BenchReference.hpp"

namespace Tomokkos::Bench {

/// \brief Converts \p offsets to 32 bits.
///
/// \param largest the last and largest offset
/// \throws Error when the offsets need more than 32 bits
template <class ExecutionSpace>
Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space> narrow_offsets(
    const ExecutionSpace& exec,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& offsets,
    Offset largest);

/// \brief Scan whose system matrix is measured, with rays and pixels in their natural order.
struct ScanOfMatrix {
  VolumeGeometry volume;
  ScanGeometry scan;
  Projector projector = Projector::line;
};

/// \brief Order of the rows of a scan: row = view * detectors + detector. 0: not known.
struct RayGrid {
  Ordinal views = 0;
  Ordinal detectors = 0;
  std::optional<ScanOfMatrix> scan = {};  ///< set if the pixels are in their natural order, too
};

/// \brief Matrix that is measured: one matrix in one scalar on one backend, CSR or block circulant,
/// with the data that all candidates share.
///
///  - Operands: x and y of the products, with the same values for every candidate, in the layout
///    that it requests. They are made at the first request and stay at the same address.
///  - Correct results: `multiply` uses plain loops in double, without any kernel of the library.
///    `reference` is the result for x with the bound of each entry.
///  - Copies of the matrix that more than one candidate reads: the transpose, 32-bit offsets, and
///    the copies that candidates put into `shared`.
///
/// A case turns products of a library into candidates: `candidate` uses one product, `alternating`
/// two, `transposition` none. Each candidate overwrites its result with wrong values before the
/// check. A block-circulant matrix is never expanded: `matrix()` then has its shape but no entries,
/// and `block_row` is a separate case for libraries that support only CSR.
template <class ExecutionSpace, class Scalar>
class BenchCase {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;
  using circulant_type = BlockCirculantMatrix<Scalar, memory_space>;
  using offsets32_type = Kokkos::View<const std::int32_t*, memory_space>;
  using doubles_type = Kokkos::View<const double*, memory_space>;

  /// \param seed seed of the vectors that are multiplied
  BenchCase(const ExecutionSpace& exec, matrix_type A, std::uint64_t seed, RayGrid rays = {});
  BenchCase(const ExecutionSpace& exec, circulant_type C, std::uint64_t seed);

  const ExecutionSpace& exec() const { return exec_; }
  const RayGrid& rays() const { return rays_; }
  bool is_circulant() const { return circulant_.has_value(); }
  Ordinal num_rows() const { return A_.num_rows; }
  Ordinal num_cols() const { return A_.num_cols; }
  Offset num_nonzeros() const;
  /// \brief Stored values. Each occurs once or several times in the matrix.
  Kokkos::View<const Scalar*, memory_space> values() const;
  /// \brief Number of entries in the longest row.
  Offset longest_row();
  /// \brief Bytes of x and y together.
  std::size_t vector_bytes() const;

  /// \brief Returns A, or A^T computed by the library. The time of the transposition is part of the
  /// set-up of products that use it.
  const matrix_type& matrix(bool transposed = false);
  /// \brief Returns C or C^T.
  ///
  /// \pre is_circulant()
  const circulant_type& circulant(bool transposed = false);
  double transposed_seconds();

  /// \brief Returns 32-bit offsets of A, A^T or the first block row.
  ///
  /// \throws Error when the nonzeros need more than 32 bits
  offsets32_type offsets32(bool transposed = false);
  /// \brief Returns the first block row of C or C^T as a case, for libraries that support CSR.
  BenchCase& block_row(bool transposed);
  /// \brief Returns the matrix with its columns numbered as in eq. 6: column l in block b becomes
  /// `pitch l + b`. Shares the arrays.
  ///
  /// \throws Error when the column numbers need more than 31 bits
  matrix_type doubled_rows(bool transposed);
  /// \brief Dimensions of x (or y) of a block-circulant product.
  CirculantVector x_shape(bool of_transpose) const { return shape(!of_transpose); }
  CirculantVector y_shape(bool of_transpose) const { return shape(of_transpose); }

  /// \brief Returns x of `y = A x` or `y = A^T x`, with values in [-1, 1).
  ///
  /// With several vectors it returns X, row-major. Column j is x times a power of two that depends
  /// on j, so that every column of Y can be checked against the same reference, scaled exactly.
  Vector<Scalar, memory_space> x(bool of_transpose, int vectors = 1,
                                 VectorLayout layout = VectorLayout::as_it_is);
  /// \brief Returns y of `y = A x` or `y = A^T x`; with several vectors Y, row-major.
  Vector<Scalar, memory_space> y(bool of_transpose, int vectors = 1,
                                 VectorLayout layout = VectorLayout::as_it_is);
  /// \brief Computes A x or A^T x and its bounds in double.
  ProductReference<memory_space> multiply(bool of_transpose, const doubles_type& x) const;
  const ProductReference<memory_space>& reference(bool of_transpose);

  /// \brief Data called \p name that several products of this case share; empty until one of them
  /// stores it.
  std::shared_ptr<void>& shared(const std::string& name) { return shared_[name]; }

  /// \brief Turns a product into a candidate on the vectors of this case. Every vector is checked
  /// against its reference.
  Candidate candidate(const Product<Scalar>& product, bool of_transpose);
  /// \brief Makes a candidate of \p products products, \p forward and \p backward in turn.
  Candidate alternating(const Product<Scalar>& forward, const Product<Scalar>& backward,
                        int products);
  /// \brief Makes a candidate for the transposition, complete but for `launch` and the set-up time.
  ///
  /// \param poison discards or overwrites the result of the last launch
  /// \param result returns the result of the last launch
  /// \param offset_bytes width of the offsets that the candidate reads and writes
  Candidate transposition(std::function<void()> poison, std::function<matrix_type()> result,
                          std::size_t offset_bytes);

 private:
  using vectors_type = std::map<std::tuple<bool, int, VectorLayout>, Vector<Scalar, memory_space>>;

  CirculantVector shape(bool of_columns) const {
    return {of_columns ? circulant_->block_cols : circulant_->block_rows, circulant_->blocks,
            circulant_->pitch};
  }
  std::size_t length(bool of_columns, int vectors, VectorLayout layout) const;

  ExecutionSpace exec_;
  matrix_type A_;
  std::optional<circulant_type> circulant_;
  std::uint64_t seed_;
  RayGrid rays_;
  std::optional<matrix_type> transposed_;
  std::optional<circulant_type> transposed_circulant_;
  double transposed_seconds_ = 0;
  offsets32_type offsets32_[2];
  std::unique_ptr<BenchCase> block_row_[2];
  vectors_type x_, y_;
  std::optional<ProductReference<memory_space>> reference_[2];
  std::map<std::string, std::shared_ptr<void>> shared_;
};

/// \brief Computes the bytes of a CSR matrix of this shape.
template <class Scalar, class MemorySpace>
std::size_t csr_bytes(const CsrMatrix<Scalar, MemorySpace>& A, std::size_t offset_bytes) {
  return (sizeof(Scalar) + sizeof(Ordinal)) * static_cast<std::size_t>(A.num_nonzeros()) +
         offset_bytes * (static_cast<std::size_t>(A.num_rows) + 1);
}

/// \brief Returns an object that all callers share while one of them holds it; afterwards it is
/// made anew.
///
/// \param shared place of the object in a case
/// \param make returns a pointer to a new object
template <class Made, class Make>
std::shared_ptr<const Made> while_used(std::shared_ptr<void>& shared, const Make& make) {
  using Remembered = std::weak_ptr<const Made>;
  if (!shared) shared = std::make_shared<Remembered>();
  Remembered& remembered = *std::static_pointer_cast<Remembered>(shared);
  std::shared_ptr<const Made> made = remembered.lock();
  if (!made) {
    made = make();
    remembered = made;
  }
  return made;
}

}  // namespace Tomokkos::Bench
