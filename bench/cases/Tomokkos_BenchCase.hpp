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

/// \brief \p offsets, of which the last is the largest, in 32 bits. Throws `Error` saying so when
/// they need more.
template <class ExecutionSpace>
Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space> narrow_offsets(
    const ExecutionSpace& exec,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& offsets,
    Offset largest);

/// \brief The scan whose system matrix a matrix is, rays and pixels in their natural order.
struct ScanOfMatrix {
  VolumeGeometry volume;
  ScanGeometry scan;
  Projector projector = Projector::line;
};

/// \brief How the rows of a scan lie: row = view * detectors + detector. 0: that is not known.
struct RayGrid {
  Ordinal views = 0;
  Ordinal detectors = 0;
  std::optional<ScanOfMatrix> scan = {};  ///< where pixels are in their natural order, too
};

/// \brief A matrix that is measured: one matrix in one scalar on one backend, CSR or block
/// circulant, with everything that all candidates share.
///
///  - Operands: x and y of the products, the same values for every candidate, in the layout that
///    it asks for. They are made when they are first asked for and never move.
///  - The right answer: `multiply`, plain loops in double that no kernel of the library takes part
///    in, and `reference`, which is that of x with the bound of each entry.
///  - Copies of the matrix that more than one candidate reads: the transpose, offsets of 32 bits,
///    and what candidates put into `shared`.
///
/// A case makes a candidate of what a library offers: `candidate` of a product, `alternating` of
/// two, `transposition`. Each of them poisons its result before it is checked. A block-circulant
/// matrix is nowhere expanded: `matrix()` holds its shape without an entry then, and `block_row` is
/// a case of its own for libraries that know CSR alone.
template <class ExecutionSpace, class Scalar>
class BenchCase {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;
  using circulant_type = BlockCirculantMatrix<Scalar, memory_space>;
  using offsets32_type = Kokkos::View<const std::int32_t*, memory_space>;
  using doubles_type = Kokkos::View<const double*, memory_space>;

  /// \param seed of the vectors that are multiplied
  BenchCase(const ExecutionSpace& exec, matrix_type A, std::uint64_t seed, RayGrid rays = {});
  BenchCase(const ExecutionSpace& exec, circulant_type C, std::uint64_t seed);

  const ExecutionSpace& exec() const { return exec_; }
  const RayGrid& rays() const { return rays_; }
  bool is_circulant() const { return circulant_.has_value(); }
  Ordinal num_rows() const { return A_.num_rows; }
  Ordinal num_cols() const { return A_.num_cols; }
  Offset num_nonzeros() const;
  /// \brief The stored values, each of which stands once or several times in the matrix.
  Kokkos::View<const Scalar*, memory_space> values() const;
  /// \brief Entries of the longest row.
  Offset longest_row();
  /// \brief Bytes of an x and a y.
  std::size_t vector_bytes() const;

  /// \brief A, or A^T by the library; the seconds of its making are part of what uses it.
  const matrix_type& matrix(bool transposed = false);
  /// \brief C, or C^T. \pre is_circulant()
  const circulant_type& circulant(bool transposed = false);
  double transposed_seconds();

  /// \brief Offsets of 32 bits of A or A^T, or of the first row of blocks. Throws `Error` saying so
  /// when the nonzeros need more.
  offsets32_type offsets32(bool transposed = false);
  /// \brief The first row of blocks of C, or of C^T, for libraries that take CSR.
  BenchCase& block_row(bool transposed);
  /// \brief Returns the matrix with its columns as eq. 6 has them: that of column l in block b is
  /// `pitch l + b`. Shares the arrays. Throws `Error` where that is beyond 31 bits.
  matrix_type rows_twice(bool transposed);
  /// \brief How the x, or the y, of a block-circulant product lies.
  CirculantVector x_shape(bool of_transpose) const { return shape(!of_transpose); }
  CirculantVector y_shape(bool of_transpose) const { return shape(of_transpose); }

  /// \brief x of `y = A x`, or of `y = A^T x`: values in [-1, 1). With several vectors X,
  /// row-major: column j is x times a power of two of its own, so that every column of Y is checked
  /// against the one reference, exactly scaled.
  Vector<Scalar, memory_space> x(bool of_transpose, int vectors = 1,
                                 VectorLayout layout = VectorLayout::as_it_is);
  /// \brief y of the same, Y with several vectors.
  Vector<Scalar, memory_space> y(bool of_transpose, int vectors = 1,
                                 VectorLayout layout = VectorLayout::as_it_is);
  /// \brief A x, or A^T x, and its bounds, in double.
  ProductReference<memory_space> multiply(bool of_transpose, const doubles_type& x) const;
  const ProductReference<memory_space>& reference(bool of_transpose);

  /// \brief What several products of this case share under \p name; empty until one puts it there.
  std::shared_ptr<void>& shared(const std::string& name) { return shared_[name]; }

  /// \brief A product as a candidate: on the vectors of this case, every one of them checked
  /// against its reference.
  Candidate candidate(const Product<Scalar>& product, bool of_transpose);
  /// \brief \p products products in turn, \p forward and then \p backward.
  Candidate alternating(const Product<Scalar>& forward, const Product<Scalar>& backward,
                        int products);
  /// \brief A candidate for the transposition with everything but `launch` and setup.
  ///
  /// \param poison forgets or spoils the result of the last launch
  /// \param result the result of the last launch
  /// \param offset_bytes width of the offsets that it reads and writes
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

/// \brief Bytes of a CSR matrix of this shape.
template <class Scalar, class MemorySpace>
std::size_t csr_bytes(const CsrMatrix<Scalar, MemorySpace>& A, std::size_t offset_bytes) {
  return (sizeof(Scalar) + sizeof(Ordinal)) * static_cast<std::size_t>(A.num_nonzeros()) +
         offset_bytes * (static_cast<std::size_t>(A.num_rows) + 1);
}

/// \brief What \p make makes (a pointer to it) for all who ask while one of them holds it; later it
/// is made anew. \p shared is its place in a case.
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
