// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PlainProducts.hpp>
#include <vector>

namespace Tomokkos {
namespace Impl {

/// Computes `x += coefficient row`, clamped where the row is not zero; the coefficient comes from
/// device scalars.
template <class Scalar, class MemorySpace>
struct KaczmarzDenseUpdate {
  VectorView<const Scalar, MemorySpace> row;
  VectorView<const Scalar, MemorySpace> b;
  VectorView<const double, MemorySpace> row_dot_x;
  VectorView<const double, MemorySpace> row_dot_row;
  VectorView<Scalar, MemorySpace> x;
  Ordinal index;
  Scalar relaxation, minimum, maximum;

  KOKKOS_FUNCTION void operator()(const Offset j) const {
    if (row(j) == Scalar(0) || row_dot_row(0) == 0) return;
    const double residual = static_cast<double>(b(index)) - row_dot_x(0);
    const double value =
        x(j) + relaxation * residual / row_dot_row(0) * static_cast<double>(row(j));
    x(j) = value < minimum ? minimum : value > maximum ? maximum : static_cast<Scalar>(value);
  }
};

template <class Scalar, class MemorySpace>
struct SetUnitVector {
  VectorView<Scalar, MemorySpace> x;
  Offset index;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    x(i) = i == index ? Scalar(1) : Scalar(0);
  }
};

template <class Scalar, class MemorySpace>
struct PickElement {
  VectorView<const Scalar, MemorySpace> from;
  VectorView<Scalar, MemorySpace> to;
  Offset from_index, to_index;
  KOKKOS_FUNCTION void operator()(const Offset) const { to(to_index) = from(from_index); }
};

/// Diagonal by a product with each unit vector.
template <class ExecutionSpace, class Scalar>
void diagonal_by_products(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                          const VectorView<Scalar, typename ExecutionSpace::memory_space>& d) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Ordinal n = A.num_rows();
  const bool by_row = A.supports_ranges();
  const auto unit = allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::diagonal::unit", n);
  const auto image =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::diagonal::image", by_row ? 1 : n);
  for (Ordinal i = 0; i < n; ++i) {
    Kokkos::parallel_for("Tomokkos::diagonal::unit_vector", element_range(exec, n),
                         SetUnitVector<Scalar, MemorySpace>{unit, i});
    A.apply(exec, Scalar(1), as_multivector(unit), Scalar(0), as_multivector(image),
            by_row ? RowRange{i, i + 1} : all_rows);
    Kokkos::parallel_for("Tomokkos::diagonal::pick", element_range(exec, 1),
                         PickElement<Scalar, MemorySpace>{image, d, by_row ? 0 : i, i});
  }
}

/// Kaczmarz sweep row by row, each row formed by a transposed product.
template <class ExecutionSpace, class Scalar>
void kaczmarz_by_products(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                          const KaczmarzSweep<Scalar, typename ExecutionSpace::memory_space>& sweep,
                          const VectorView<const Scalar, typename ExecutionSpace::memory_space>& b,
                          const VectorView<Scalar, typename ExecutionSpace::memory_space>& x) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Ordinal visits =
      sweep.order.extent(0) > 0 ? static_cast<Ordinal>(sweep.order.extent(0)) : A.num_rows();
  std::vector<Ordinal> order(sweep.order.extent(0));
  Kokkos::deep_copy(exec, VectorView<Ordinal, Kokkos::HostSpace>(order.data(), order.size()),
                    sweep.order);
  fence(exec, "kaczmarz: the host follows the order");
  const auto one = allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::kaczmarz::one", 1);
  const auto row =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::kaczmarz::row", A.num_cols());
  const auto sums = allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::kaczmarz::sums", 2);
  const ReductionWorkspace<MemorySpace> workspace(exec);
  fill<ExecutionSpace, Scalar>(exec, one, Scalar(1));
  const VectorView<double, MemorySpace> row_dot_x(sums.data(), 1), row_dot_row(sums.data() + 1, 1);
  for (Ordinal visit = 0; visit < visits; ++visit) {
    const Ordinal i = order.empty() ? visit : order[static_cast<std::size_t>(visit)];
    A.apply_transpose(exec, Scalar(1), as_multivector(one), Scalar(0), as_multivector(row),
                      RowRange{i, i + 1});
    dot<ExecutionSpace, Scalar>(exec, workspace, row, x, row_dot_x);
    dot<ExecutionSpace, Scalar>(exec, workspace, row, row, row_dot_row);
    Kokkos::parallel_for(
        "Tomokkos::kaczmarz::dense_update", element_range(exec, row.extent(0)),
        KaczmarzDenseUpdate<Scalar, MemorySpace>{row, b, row_dot_x, row_dot_row, x, i,
                                                 sweep.relaxation, sweep.minimum, sweep.maximum});
  }
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void two_component_diagonal(const ExecutionSpace& exec,
                            const AnyOperator<ExecutionSpace, Scalar>& A,
                            const VectorView<Scalar, typename ExecutionSpace::memory_space>& d) {
  require_equal("number of rows", A.num_rows(), "the number of columns", A.num_cols());
  require_equal("length of the diagonal", static_cast<long long>(d.extent(0)), "rows of A",
                A.num_rows());
  if (const auto* const access = A.capabilities().diagonal)
    access->diagonal(exec, d);
  else
    Impl::diagonal_by_products(exec, A, d);
}

template <class ExecutionSpace, class Scalar>
void kaczmarz_sweep(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                    const KaczmarzSchedule<ExecutionSpace>* schedule,
                    const KaczmarzSweep<Scalar, typename ExecutionSpace::memory_space>& sweep,
                    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& b,
                    const VectorView<Scalar, typename ExecutionSpace::memory_space>& x) {
  if (const auto* const rows = A.capabilities().rows) {
    rows->sweep(exec, schedule, sweep, b, x);
    return;
  }
  require(A.supports_ranges() && A.has_transpose(),
          "this operator offers neither a Kaczmarz sweep nor products with single rows");
  Impl::kaczmarz_by_products(exec, A, sweep, b, x);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                              \
  template void two_component_diagonal(const ExecutionSpace&,                                     \
                                       const AnyOperator<ExecutionSpace, Scalar>&,                \
                                       const VectorView<Scalar, ExecutionSpace::memory_space>&);  \
  template void kaczmarz_sweep(const ExecutionSpace&, const AnyOperator<ExecutionSpace, Scalar>&, \
                               const KaczmarzSchedule<ExecutionSpace>*,                           \
                               const KaczmarzSweep<Scalar, ExecutionSpace::memory_space>&,        \
                               const VectorView<const Scalar, ExecutionSpace::memory_space>&,     \
                               const VectorView<Scalar, ExecutionSpace::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
