// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CompiledSpace.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Types.hpp>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

namespace Tomokkos {

namespace Impl {

template <class Scalar, class MemorySpace>
using FlatView = Kokkos::View<Scalar*, Kokkos::LayoutRight, MemorySpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Scalar, class MemorySpace>
using RowMajorView = Kokkos::View<Scalar**, Kokkos::LayoutRight, MemorySpace,
                                  Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// \brief True if `From` has the rank and the element type of `To`, in memory that the execution
/// space of `To` can access. Layouts are checked later.
template <class From, class To>
inline constexpr bool has_elements_of = std::conjunction_v<
    std::bool_constant<static_cast<int>(From::rank) == static_cast<int>(To::rank)>,
    std::is_convertible<typename From::value_type (*)[], typename To::value_type (*)[]>,
    std::bool_constant<Kokkos::SpaceAccessibility<typename To::memory_space::execution_space,
                                                  typename From::memory_space>::accessible>>;

[[noreturn]] void refuse_strided_vector(const std::string& label, std::size_t length,
                                        std::size_t stride);
[[noreturn]] void refuse_strided_multivector(const std::string& label, std::size_t rows,
                                             std::size_t columns, std::size_t row_stride,
                                             std::size_t column_stride);

/// \brief Throws `Refused` unless the entries of \p x are contiguous.
template <class View>
void require_contiguous(const View& x) {
  if constexpr (View::rank == 1) {
    if (x.extent(0) > 1 && x.stride(0) != 1)
      refuse_strided_vector(x.label(), x.extent(0), x.stride(0));
  } else {
    const bool is_row_major =
        (x.extent(1) <= 1 || x.stride(1) == 1) && (x.extent(0) <= 1 || x.stride(0) == x.extent(1));
    if (x.size() > 0 && !is_row_major)
      refuse_strided_multivector(x.label(), x.extent(0), x.extent(1), x.stride(0), x.stride(1));
  }
}

}  // namespace Impl

/// \brief Contiguous, unmanaged vector: the only vector type that compiled kernels and solvers
/// accept.
///
/// Any contiguous rank-1 View of the same scalar converts to it if the execution space of
/// MemorySpace can access its memory.
///
/// \throws Refused for a View with a stride, such as a column of a row-major multivector: its
/// entries are not contiguous
template <class Scalar, class MemorySpace>
class VectorView : public Impl::FlatView<Scalar, MemorySpace> {
 public:
  using view_type = Impl::FlatView<Scalar, MemorySpace>;

  VectorView() = default;
  KOKKOS_FUNCTION VectorView(Scalar* data, std::size_t length) : view_type(data, length) {}

  template <class DataType, class... Properties>
  requires Impl::has_elements_of<Kokkos::View<DataType, Properties...>, view_type> KOKKOS_FUNCTION
  VectorView(const Kokkos::View<DataType, Properties...>& x)
      : view_type(x.data(), x.extent(0)) {
#if !defined(__CUDA_ARCH__)
    Impl::require_contiguous(x);
#endif
  }
};

/// \brief Row-major, unmanaged multivector of n rows and s columns: the only multivector type. The
/// s values of a row are adjacent.
///
/// \throws Refused for a View with gaps between its rows, such as some columns of a wider
/// multivector
template <class Scalar, class MemorySpace>
class MultiVectorView : public Impl::RowMajorView<Scalar, MemorySpace> {
 public:
  using view_type = Impl::RowMajorView<Scalar, MemorySpace>;

  MultiVectorView() = default;
  KOKKOS_FUNCTION MultiVectorView(Scalar* data, std::size_t rows, std::size_t columns)
      : view_type(data, rows, columns) {}

  template <class DataType, class... Properties>
  requires Impl::has_elements_of<Kokkos::View<DataType, Properties...>, view_type> KOKKOS_FUNCTION
  MultiVectorView(const Kokkos::View<DataType, Properties...>& x)
      : view_type(x.data(), x.extent(0), x.extent(1)) {
    static_assert(!std::is_same_v<typename Kokkos::View<DataType, Properties...>::array_layout,
                                  Kokkos::LayoutLeft>,
                  "Tomokkos multivectors are row-major: the values of a row lie side by side. Give "
                  "the View the layout Kokkos::LayoutRight, or copy it into one that has it.");
#if !defined(__CUDA_ARCH__)
    Impl::require_contiguous(x);
#endif
  }
};

/// \brief Vector that a function reads. Accepts any View that converts to it: the function deduces
/// its template arguments from its other parameters.
template <class ExecutionSpace, class Scalar>
using InputVector = std::type_identity_t<
    VectorView<const Scalar, typename Impl::CompiledSpace<ExecutionSpace>::memory_space>>;

/// \brief Vector that a function writes. Accepts any View that converts to it.
template <class ExecutionSpace, class Scalar>
using OutputVector = std::type_identity_t<
    VectorView<Scalar, typename Impl::CompiledSpace<ExecutionSpace>::memory_space>>;

/// \brief Multivector that a function reads. Accepts any View that converts to it.
template <class ExecutionSpace, class Scalar>
using InputMultiVector = std::type_identity_t<
    MultiVectorView<const Scalar, typename Impl::CompiledSpace<ExecutionSpace>::memory_space>>;

/// \brief Multivector that a function writes. Accepts any View that converts to it.
template <class ExecutionSpace, class Scalar>
using OutputMultiVector = std::type_identity_t<
    MultiVectorView<Scalar, typename Impl::CompiledSpace<ExecutionSpace>::memory_space>>;

/// \brief Coefficient of a product. Accepts any number that converts to the scalar.
template <class Scalar>
using Coefficient = std::type_identity_t<Scalar>;

namespace Impl {

template <class T>
struct is_any_view : Kokkos::is_view<T> {};
template <class Scalar, class MemorySpace>
struct is_any_view<VectorView<Scalar, MemorySpace>> : std::true_type {};
template <class Scalar, class MemorySpace>
struct is_any_view<MultiVectorView<Scalar, MemorySpace>> : std::true_type {};

/// \brief A View of Kokkos or of this library.
template <class T>
concept AnyView = is_any_view<T>::value;

/// \brief Scalar type of a View, without `const`.
template <AnyView View>
using scalar_of = typename View::non_const_value_type;

}  // namespace Impl

/// \brief Vector that owns its memory.
template <class Scalar, class MemorySpace>
using Vector = Kokkos::View<Scalar*, Kokkos::LayoutRight, MemorySpace>;

/// \brief Row-major multivector that owns its memory.
template <class Scalar, class MemorySpace>
using MultiVector = Kokkos::View<Scalar**, Kokkos::LayoutRight, MemorySpace>;

/// \brief Views \p x as a multivector: a rank-1 View of length n becomes n x 1, a rank-2 View is
/// unchanged. No copy.
///
/// \throws Error unless \p x is contiguous; rank-2 Views must be row-major
template <class View>
auto as_multivector(const View& x) {
  using Scalar = typename View::value_type;
  using MemorySpace = typename View::memory_space;
  static_assert(View::rank == 1 || View::rank == 2, "a vector or a row-major n x s multivector");
  if constexpr (View::rank == 1) {
    const VectorView<Scalar, MemorySpace> vector(x);
    return MultiVectorView<Scalar, MemorySpace>(vector.data(), vector.extent(0), 1);
  } else {
    return MultiVectorView<Scalar, MemorySpace>(x);
  }
}

/// \brief Views all entries of a multivector or a vector as one vector, for element-wise
/// operations. No copy.
///
/// \throws Error unless \p x is contiguous and row-major
template <class View>
auto as_vector(const View& x) {
  const auto all = as_multivector(x);
  return VectorView<typename View::value_type, typename View::memory_space>(all.data(), all.size());
}

namespace Impl {

/// \brief Vector or multivector of a product, with its required length.
struct Operand {
  /// \param its_name name in messages, `"x"`
  /// \param of quantity that the number of rows of \p view must equal, `"columns of A"`
  template <class View>
  Operand(std::string_view its_name, const View& view, std::string_view of, long long length)
      : name(its_name),
        length_name(of),
        expected(length),
        rows(static_cast<long long>(view.extent(0))),
        columns(View::rank == 2 ? static_cast<long long>(view.extent(1)) : 1),
        is_vector(View::rank == 1),
        begin(reinterpret_cast<std::uintptr_t>(view.data())),
        end(begin + view.span() * sizeof(typename View::value_type)) {}

  std::string_view name, length_name;
  long long expected, rows, columns;
  bool is_vector;
  std::uintptr_t begin, end;
};

/// \brief Checks the two operands of a product.
///
/// \throws DimensionMismatch unless both have their required lengths and the same number of columns
/// \throws Refused if they share memory: a product reads one while it writes the other
void require_operands(const Operand& read, const Operand& written,
                      const std::source_location& where = std::source_location::current());

/// \brief Throws `Refused` if Kokkos is not initialised.
void require_kokkos();

[[noreturn]] void refuse_extent(const std::string& label, long long extent);

/// \brief Returns \p extent of the array \p label.
///
/// \throws Refused if it is negative: Kokkos would end the process
template <class Extent>
std::size_t checked_extent(const std::string& label, Extent extent) {
  if constexpr (std::is_signed_v<Extent>)
    if (extent < 0) refuse_extent(label, static_cast<long long>(extent));
  return static_cast<std::size_t>(extent);
}

[[noreturn]] void refuse_thread();

/// \brief Throws `Refused` if Kokkos is not initialised, or accepts no launches of the calling
/// host thread on \p ExecutionSpace.
template <class ExecutionSpace>
void require_launches() {
  require_kokkos();
  if (!may_launch_from_this_thread<ExecutionSpace>()) refuse_thread();
}

/// \brief Allocates a View, or throws `MemoryError` with the number of bytes. Versions of Kokkos
/// report failed allocations by different types.
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

/// \brief Allocates a View of \p extents, not initialised.
///
/// \throws MemoryError with the number of bytes when the memory cannot be allocated
/// \throws Refused if an extent is negative or Kokkos is not initialised
template <class View, class ExecutionSpace, class... Extents>
View allocate(const ExecutionSpace& exec, const std::string& label, Extents... extents) {
  Impl::require_kokkos();
  return Impl::allocate_or_explain<View>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label),
      Impl::checked_extent(label, extents)...);
}

namespace Impl {

/// \brief Allocates a View in a memory space for which the caller has no instance. All instances
/// may use the memory on return.
template <class View, class... Extents>
View allocate_without_instance(const std::string& label, Extents... extents) {
  return allocate_or_explain<View>(Kokkos::view_alloc(Kokkos::WithoutInitializing, label),
                                   static_cast<std::size_t>(extents)...);
}

/// \brief Allocates the target of a copy by \p exec, whose memory \p exec need not access.
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

/// \brief Returns a policy over the indices 0 to n - 1, which are 64-bit integers.
template <class ExecutionSpace>
auto element_range(const ExecutionSpace& exec, std::size_t n) {
  return Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(exec, 0,
                                                                        static_cast<Offset>(n));
}

}  // namespace Impl

}  // namespace Tomokkos
