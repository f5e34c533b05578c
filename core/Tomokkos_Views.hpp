// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Types.hpp>
#include <string>
#include <type_traits>

namespace Tomokkos {

/// \brief The one vector type that compiled kernels and solvers take: contiguous, unmanaged. Any
/// contiguous rank-1 View of the same scalar and memory space converts to it.
template <class Scalar, class MemorySpace>
using VectorView = Kokkos::View<Scalar*, Kokkos::LayoutRight, MemorySpace,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// \brief The one multivector type: n x s, row-major (the s values of a row are adjacent),
/// unmanaged.
template <class Scalar, class MemorySpace>
using MultiVectorView = Kokkos::View<Scalar**, Kokkos::LayoutRight, MemorySpace,
                                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// \brief A vector that owns its memory.
template <class Scalar, class MemorySpace>
using Vector = Kokkos::View<Scalar*, Kokkos::LayoutRight, MemorySpace>;

/// \brief A row-major multivector that owns its memory.
template <class Scalar, class MemorySpace>
using MultiVector = Kokkos::View<Scalar**, Kokkos::LayoutRight, MemorySpace>;

/// \brief \p x as a multivector: a rank-1 View of length n becomes n x 1, a rank-2 View stays. No
/// copy.
///
/// \pre \p x is contiguous, rank-2 Views are row-major.
template <class View>
auto as_multivector(const View& x) {
  using Scalar = typename View::value_type;
  using MemorySpace = typename View::memory_space;
  static_assert(View::rank == 1 || View::rank == 2, "a vector or a row-major n x s multivector");
  if constexpr (View::rank == 1) {
    return MultiVectorView<Scalar, MemorySpace>(x.data(), x.extent(0), 1);
  } else {
    static_assert(std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>,
                  "multivectors are row-major (Kokkos::LayoutRight)");
    return MultiVectorView<Scalar, MemorySpace>(x.data(), x.extent(0), x.extent(1));
  }
}

/// \brief All entries of a multivector as one vector, for element-wise work. No copy.
template <class View>
auto as_vector(const View& x) {
  return VectorView<typename View::value_type, typename View::memory_space>(x.data(), x.size());
}

namespace Impl {

/// \brief A View, or a `MemoryError` with its bytes. Kokkos reports a failed allocation
/// by different types in its versions.
template <class View, class Properties, class... Extents>
View allocate_or_explain(const Properties& properties, Extents... extents) {
  try {
    return View(properties, extents...);
  } catch (const std::exception&) {
    const std::size_t bytes = (sizeof(typename View::value_type) * ... * extents);
    throw MemoryError("cannot allocate " + describe_bytes(bytes) + " of memory");
  }
}

}  // namespace Impl

/// \brief Memory for a View of \p extents, not initialised. Throws `MemoryError` with the
/// bytes.
template <class View, class ExecutionSpace, class... Extents>
View allocate(const ExecutionSpace& exec, const std::string& label, Extents... extents) {
  return Impl::allocate_or_explain<View>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label),
      static_cast<std::size_t>(extents)...);
}

namespace Impl {

/// \brief `allocate` where no instance at hand works in the memory space of the View: the memory is
/// there for all of them on return.
template <class View, class... Extents>
View allocate_without_instance(const std::string& label, Extents... extents) {
  return allocate_or_explain<View>(Kokkos::view_alloc(Kokkos::WithoutInitializing, label),
                                   static_cast<std::size_t>(extents)...);
}

/// \brief `allocate` for the target of a copy by \p exec, which need not reach it.
template <class View, class ExecutionSpace>
View allocate_for_copy(const ExecutionSpace& exec, const std::string& label, std::size_t extent) {
  if constexpr (Kokkos::SpaceAccessibility<ExecutionSpace,
                                           typename View::memory_space>::accessible) {
    return allocate<View>(exec, label, extent);
  } else {
    (void)exec;
    return allocate_without_instance<View>(label, extent);
  }
}

/// \brief The range [0, n) of elements, with 64-bit indices.
template <class ExecutionSpace>
auto element_range(const ExecutionSpace& exec, std::size_t n) {
  return Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(exec, 0,
                                                                        static_cast<Offset>(n));
}

}  // namespace Impl

}  // namespace Tomokkos
