// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_VolumeGeometry.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "Tomokkos_BenchCandidate.hpp"
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

/// \brief One matrix in one scalar on one backend, with what all candidates share: vectors, the
/// reference, the transposed copy, offsets of 32 bits for libraries that want them. Made when first
/// asked for.
template <class ExecutionSpace, class Scalar>
class BenchCase {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;
  using offsets32_type = Kokkos::View<const std::int32_t*, memory_space>;

  /// \param seed of the vectors that are multiplied
  BenchCase(const ExecutionSpace& exec, matrix_type A, std::uint64_t seed, RayGrid rays = {});

  const ExecutionSpace& exec() const { return exec_; }
  const matrix_type& matrix() const { return A_; }
  const RayGrid& rays() const { return rays_; }

  /// \brief A^T as CSR, by the library; \p seconds of its making are part of what uses it.
  const matrix_type& transposed();
  double transposed_seconds();

  /// \brief A or A^T with offsets of 32 bits. Throws `Error` saying so when the nonzeros need more.
  offsets32_type offsets32();
  offsets32_type transposed_offsets32();

  /// \brief x of `y = A x`, or of `y = A^T x`: values in [-1, 1). With several vectors X,
  /// row-major: column j is x times a power of two of its own, so that every column of Y is checked
  /// against the one reference, exactly scaled.
  Vector<Scalar, memory_space> x(bool of_transpose, int vectors = 1);
  /// \brief y of the same, Y with several vectors.
  Vector<Scalar, memory_space> y(bool of_transpose, int vectors = 1);
  const ProductReference<memory_space>& reference(bool of_transpose);

  /// \brief What several products of this case share under \p name; empty until one puts it there.
  std::shared_ptr<void>& shared(const std::string& name) { return shared_[name]; }

  /// \brief A product as a candidate: on the vectors of this case, every one of them checked
  /// against its reference.
  Candidate candidate(const Product<Scalar>& product, bool of_transpose);

  /// \brief A candidate for the transposition with everything but `launch` and setup.
  ///
  /// \param poison forgets or spoils the result of the last launch
  /// \param result the result of the last launch
  /// \param offset_bytes width of the offsets that it reads and writes
  Candidate transposition(std::function<void()> poison, std::function<matrix_type()> result,
                          std::size_t offset_bytes);

 private:
  ExecutionSpace exec_;
  matrix_type A_;
  std::uint64_t seed_;
  RayGrid rays_;
  std::optional<matrix_type> transposed_;
  double transposed_seconds_ = 0;
  offsets32_type offsets32_, transposed_offsets32_;
  std::map<std::pair<bool, int>, Vector<Scalar, memory_space>> x_, y_;
  std::optional<ProductReference<memory_space>> reference_[2];
  std::map<std::string, std::shared_ptr<void>> shared_;
};

/// \brief Bytes of a CSR matrix of this shape.
template <class Scalar, class MemorySpace>
std::size_t csr_bytes(const CsrMatrix<Scalar, MemorySpace>& A, std::size_t offset_bytes) {
  return (sizeof(Scalar) + sizeof(Ordinal)) * static_cast<std::size_t>(A.num_nonzeros()) +
         offset_bytes * (static_cast<std::size_t>(A.num_rows) + 1);
}

/// \brief Bytes of one vector of each kind.
template <class Scalar, class MemorySpace>
std::size_t vector_bytes(const CsrMatrix<Scalar, MemorySpace>& A) {
  return sizeof(Scalar) *
         (static_cast<std::size_t>(A.num_rows) + static_cast<std::size_t>(A.num_cols));
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
