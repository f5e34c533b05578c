// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MapVectors.hpp>

namespace Tomokkos {
namespace Impl {

template <class Scalar, class MemorySpace>
struct GatherRows {
  Kokkos::View<const Ordinal*, MemorySpace> to_natural;
  MultiVectorView<const Scalar, MemorySpace> natural;
  MultiVectorView<Scalar, MemorySpace> mapped;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const auto columns = static_cast<Offset>(mapped.extent(1));
    const Offset p = index / columns;
    mapped(p, index % columns) = natural(to_natural(p), index % columns);
  }
};

template <class Scalar, class MemorySpace>
struct ScatterRows {
  Kokkos::View<const Ordinal*, MemorySpace> to_natural;
  MultiVectorView<const Scalar, MemorySpace> mapped;
  MultiVectorView<Scalar, MemorySpace> natural;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const auto columns = static_cast<Offset>(mapped.extent(1));
    const Offset p = index / columns;
    natural(to_natural(p), index % columns) = mapped(p, index % columns);
  }
};

template <class MemorySpace, class Natural, class Mapped>
void require_map_shapes(const IndexMap<MemorySpace>& map, const Natural& natural,
                        const Mapped& mapped) {
  require_equal("rows in natural order", static_cast<long long>(natural.extent(0)),
                "indices of the map", map.natural_size());
  require_equal("rows in mapped order", static_cast<long long>(mapped.extent(0)),
                "positions of the map", map.size());
  require_equal("columns in mapped order", static_cast<long long>(mapped.extent(1)),
                "columns in natural order", static_cast<long long>(natural.extent(1)));
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void gather(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
            const InputMultiVector<ExecutionSpace, Scalar>& natural,
            const OutputMultiVector<ExecutionSpace, Scalar>& mapped) {
  Impl::require_map_shapes(map, natural, mapped);
  Kokkos::parallel_for("Tomokkos::index_map::gather", Impl::element_range(exec, mapped.size()),
                       Impl::GatherRows<Scalar, typename ExecutionSpace::memory_space>{
                           map.to_natural, natural, mapped});
}

template <class ExecutionSpace, class Scalar>
void scatter(const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& map,
             const InputMultiVector<ExecutionSpace, Scalar>& mapped,
             const OutputMultiVector<ExecutionSpace, Scalar>& natural) {
  Impl::require_map_shapes(map, natural, mapped);
  Kokkos::parallel_for("Tomokkos::index_map::scatter", Impl::element_range(exec, mapped.size()),
                       Impl::ScatterRows<Scalar, typename ExecutionSpace::memory_space>{
                           map.to_natural, mapped, natural});
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                       \
  template void gather<SPACE, SCALAR>(const SPACE&, const IndexMap<SPACE::memory_space>&,         \
                                      const MultiVectorView<const SCALAR, SPACE::memory_space>&,  \
                                      const MultiVectorView<SCALAR, SPACE::memory_space>&);       \
  template void scatter<SPACE, SCALAR>(const SPACE&, const IndexMap<SPACE::memory_space>&,        \
                                       const MultiVectorView<const SCALAR, SPACE::memory_space>&, \
                                       const MultiVectorView<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
