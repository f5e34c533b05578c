// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_RayTiles.hpp>
#include <Tomokkos_Views.hpp>
#include <cstddef>
#include <vector>

namespace Tomokkos {

/// \brief Owner of arrays in page-locked host memory that kernels of a GPU read directly.
///
/// A product whose matrix lies there streams it through the bus: the kernel requests the entries of
/// many rows at once, so that transfers and sums overlap. It is as slow as the bus, but needs no
/// device memory for the entries.
template <class ExecutionSpace>
class StreamedArrays {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using HostMemory = typename Impl::StagingMemory<ExecutionSpace>::type;

  std::size_t bytes() const { return bytes_; }

  /// \brief Copies \p array to host memory and returns a View of it that kernels may read. Fences.
  /// The View is valid as long as this object.
  ///
  /// \throws MemoryError
  template <class T>
  Kokkos::View<const T*, memory_space> hold(const ExecutionSpace& exec,
                                            const Kokkos::View<const T*, memory_space>& array) {
    if (array.extent(0) == 0) return array;
    const std::size_t length = array.extent(0) * sizeof(T);
    arrays_.push_back(Impl::allocate_without_instance<Vector<char, HostMemory>>(
        "Tomokkos::StreamedArrays::array", length));
    bytes_ += length;
    T* const data = reinterpret_cast<T*>(arrays_.back().data());
    Kokkos::deep_copy(exec, VectorView<T, HostMemory>(data, array.extent(0)),
                      VectorView<const T, memory_space>(array.data(), array.extent(0)));
    Impl::fence(exec, "StreamedArrays: the array has arrived");
    return Kokkos::View<const T*, memory_space>(data, array.extent(0));
  }

 private:
  std::vector<Vector<char, HostMemory>> arrays_;
  std::size_t bytes_ = 0;
};

/// \brief Returns \p A with its entries in host memory. Row offsets stay on the device. The result
/// is valid as long as \p arrays; the entries on the device are freed with the last copy of A.
///
/// \throws MemoryError
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> with_streamed_entries(
    const ExecutionSpace& exec, CsrMatrix<Scalar, typename ExecutionSpace::memory_space> A,
    StreamedArrays<ExecutionSpace>& arrays) {
  A.columns = arrays.hold(exec, A.columns);
  A.values = arrays.hold(exec, A.values);
  return A;
}

/// \brief Returns \p A with its entries in host memory, in the same way. Its lists of tiles and
/// segments stay on the device.
///
/// \throws MemoryError
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values> with_streamed_entries(
    const ExecutionSpace& exec,
    RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values> A,
    StreamedArrays<ExecutionSpace>& arrays) {
  A.indices = arrays.hold(exec, A.indices);
  A.values = arrays.hold(exec, A.values);
  A.words = arrays.hold(exec, A.words);
  return A;
}

}  // namespace Tomokkos
