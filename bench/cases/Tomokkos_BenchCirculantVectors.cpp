// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchCirculantVectors.hpp"

#include <Tomokkos_ForEach.hpp>

namespace Tomokkos::Bench {
namespace {

template <class Scalar, class MemorySpace>
struct LayOut {
  CirculantVector vector;
  VectorView<const Scalar, MemorySpace> from;
  VectorLayout layout;
  VectorView<Scalar, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Offset k = vector.blocks, n = vector.length;
    switch (layout) {
      case VectorLayout::doubled_rows:
        to(i) = from(i / vector.pitch * k + i % vector.pitch % k);
        return;
      case VectorLayout::blocks:
      case VectorLayout::doubled_blocks:
        to(i) = from(i % n * k + i / n % k);
        return;
      case VectorLayout::as_it_is:
        to(i) = from(i);
        return;
    }
  }
};

template <class Scalar, class MemorySpace>
struct RotationsFromBlocks {
  CirculantVector vector;
  VectorView<const Scalar, MemorySpace> from;
  VectorView<Scalar, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Offset k = vector.blocks;
    to(i) = from(i % k * vector.length + i / k);
  }
};

template <class Scalar, class MemorySpace>
struct FoldTwice {
  VectorView<const Scalar, MemorySpace> from;
  VectorView<Scalar, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    to(i) = from(i) + from(static_cast<Offset>(to.extent(0)) + i);
  }
};

/// Writes one element per thread, so that neighbouring threads of a GPU write adjacent values.
template <class Scalar, class MemorySpace>
struct DenseColumns {
  CirculantVector vector;
  Offset first;
  VectorView<const Scalar, MemorySpace> from;
  MultiVectorView<Scalar, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Offset element) const {
    const auto columns = static_cast<Offset>(to.extent(1));
    const Offset row = element / columns, column = element % columns;
    const Offset part = (row / vector.length + first + column) % vector.blocks;
    to(row, column) = from(part * vector.length + row % vector.length);
  }
};

template <class Scalar, class MemorySpace>
struct PutColumns {
  CirculantVector vector;
  Offset first;
  MultiVectorView<const Scalar, MemorySpace> from;
  VectorView<Scalar, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Offset element) const {
    const auto columns = static_cast<Offset>(from.extent(1));
    const Offset row = element / columns, column = element % columns;
    if (first + column < vector.blocks)
      to(row * vector.blocks + first + column) = from(row, column);
  }
};

}  // namespace

template <class ExecutionSpace, class Scalar>
void lay_out(const ExecutionSpace& exec, const CirculantVector& vector,
             const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
             VectorLayout layout,
             const VectorView<Scalar, typename ExecutionSpace::memory_space>& to) {
  Kokkos::parallel_for(
      "Tomokkos::bench::lay_out", Impl::element_range(exec, vector.size(layout)),
      LayOut<Scalar, typename ExecutionSpace::memory_space>{vector, from, layout, to});
}

template <class ExecutionSpace, class Scalar>
void rotations_from_blocks(
    const ExecutionSpace& exec, const CirculantVector& vector,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& to) {
  Kokkos::parallel_for(
      "Tomokkos::bench::rotations_from_blocks", Impl::element_range(exec, vector.size()),
      RotationsFromBlocks<Scalar, typename ExecutionSpace::memory_space>{vector, from, to});
}

template <class ExecutionSpace, class Scalar>
void fold_twice(const ExecutionSpace& exec,
                const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
                const VectorView<Scalar, typename ExecutionSpace::memory_space>& to) {
  Kokkos::parallel_for("Tomokkos::bench::fold_twice", Impl::element_range(exec, to.extent(0)),
                       FoldTwice<Scalar, typename ExecutionSpace::memory_space>{from, to});
}

template <class ExecutionSpace, class Scalar>
void dense_columns(const ExecutionSpace& exec, const CirculantVector& vector, Ordinal first,
                   const VectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
                   const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& to) {
  Kokkos::parallel_for(
      "Tomokkos::bench::dense_columns", Impl::element_range(exec, to.extent(0) * to.extent(1)),
      DenseColumns<Scalar, typename ExecutionSpace::memory_space>{vector, first, from, to});
}

template <class ExecutionSpace, class Scalar>
void put_columns(const ExecutionSpace& exec, const CirculantVector& vector, Ordinal first,
                 const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& from,
                 const VectorView<Scalar, typename ExecutionSpace::memory_space>& to) {
  Kokkos::parallel_for(
      "Tomokkos::bench::put_columns", Impl::element_range(exec, from.extent(0) * from.extent(1)),
      PutColumns<Scalar, typename ExecutionSpace::memory_space>{vector, first, from, to});
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                        \
  template void lay_out<SPACE, SCALAR>(                                                            \
      const SPACE&, const CirculantVector&, const VectorView<const SCALAR, SPACE::memory_space>&,  \
      VectorLayout, const VectorView<SCALAR, SPACE::memory_space>&);                               \
  template void rotations_from_blocks<SPACE, SCALAR>(                                              \
      const SPACE&, const CirculantVector&, const VectorView<const SCALAR, SPACE::memory_space>&,  \
      const VectorView<SCALAR, SPACE::memory_space>&);                                             \
  template void fold_twice<SPACE, SCALAR>(const SPACE&,                                            \
                                          const VectorView<const SCALAR, SPACE::memory_space>&,    \
                                          const VectorView<SCALAR, SPACE::memory_space>&);         \
  template void dense_columns<SPACE, SCALAR>(const SPACE&, const CirculantVector&, Ordinal,        \
                                             const VectorView<const SCALAR, SPACE::memory_space>&, \
                                             const MultiVectorView<SCALAR, SPACE::memory_space>&); \
  template void put_columns<SPACE, SCALAR>(                                                        \
      const SPACE&, const CirculantVector&, Ordinal,                                               \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&,                                   \
      const VectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
