// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Operator.hpp>
#include <string>
#include <vector>

namespace Tomokkos {
namespace Impl {

/// `x += coefficient row`, clamped where the row is not zero; the coefficient comes from device
/// scalars.
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

}  // namespace Impl

namespace Impl {

/// \p bytes of one vector, with those of the others.
template <class Scalar, class Operator>
std::size_t with_more_vectors(const Operator& A, std::size_t bytes, int vectors) {
  if (bytes == 0) return 0;
  return bytes + static_cast<std::size_t>(vectors - 1) * sizeof(Scalar) *
                     (static_cast<std::size_t>(A.num_rows()) + A.num_cols());
}

}  // namespace Impl

template <class Scalar, class Operator>
std::size_t operator_apply_bytes(const Operator& A, int vectors) {
  if constexpr (requires { A.apply_bytes(vectors); }) {
    return A.apply_bytes(vectors);
  } else if constexpr (requires { A.apply_bytes(); }) {
    return Impl::with_more_vectors<Scalar>(A, A.apply_bytes(), vectors);
  } else {
    (void)A, (void)vectors;
    return 0;
  }
}

template <class Scalar, class Operator>
std::size_t operator_apply_transpose_bytes(const Operator& A, int vectors) {
  if constexpr (requires { A.apply_transpose_bytes(vectors); }) {
    return A.apply_transpose_bytes(vectors);
  } else if constexpr (requires { A.apply_transpose_bytes(); }) {
    return Impl::with_more_vectors<Scalar>(A, A.apply_transpose_bytes(), vectors);
  } else {
    (void)A, (void)vectors;
    return 0;
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
bool operator_has_transpose(const Operator& A) {
  if constexpr (requires {
                  { A.has_transpose() } -> std::convertible_to<bool>;
                }) {
    return A.has_transpose();
  } else {
    return TransposableOperator<Operator, ExecutionSpace, Scalar>;
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
bool operator_takes_ranges(const Operator& A) {
  if constexpr (requires {
                  { A.takes_ranges() } -> std::convertible_to<bool>;
                }) {
    return A.takes_ranges();
  } else {
    return RowSubsettable<Operator, ExecutionSpace, Scalar> &&
           TransposedRowSubsettable<Operator, ExecutionSpace, Scalar>;
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
void operator_apply(const ExecutionSpace& exec, const Operator& A, Scalar alpha,
                    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X,
                    Scalar beta,
                    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y,
                    RowRange rows) {
  if constexpr (RowSubsettable<Operator, ExecutionSpace, Scalar>) {
    A.apply(exec, alpha, X, beta, Y, rows);
  } else {
    require(rows.is_all(), "this operator cannot be restricted to a range of rows");
    A.apply(exec, alpha, X, beta, Y);
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
void operator_apply_transpose(
    const ExecutionSpace& exec, const Operator& A, Scalar alpha,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X, Scalar beta,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y, RowRange rows) {
  if constexpr (TransposedRowSubsettable<Operator, ExecutionSpace, Scalar>) {
    A.apply_transpose(exec, alpha, X, beta, Y, rows);
  } else if constexpr (TransposableOperator<Operator, ExecutionSpace, Scalar>) {
    require(rows.is_all(), "this operator cannot be restricted to a range of rows");
    A.apply_transpose(exec, alpha, X, beta, Y);
  } else {
    (void)exec, (void)alpha, (void)X, (void)beta, (void)Y, (void)rows;
    throw Refused("this operator has no transposed product");
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
void operator_diagonal(const ExecutionSpace& exec, const Operator& A,
                       const VectorView<Scalar, typename ExecutionSpace::memory_space>& d) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require_equal("number of rows", A.num_rows(), "the number of columns", A.num_cols());
  require_equal("length of the diagonal", static_cast<long long>(d.extent(0)), "rows of A",
                A.num_rows());
  if constexpr (requires { A.diagonal(exec, d); }) {
    A.diagonal(exec, d);
  } else {
    const Ordinal n = A.num_rows();
    constexpr bool by_row = RowSubsettable<Operator, ExecutionSpace, Scalar>;
    const auto unit = allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::diagonal::unit", n);
    const auto image =
        allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::diagonal::image", by_row ? 1 : n);
    for (Ordinal i = 0; i < n; ++i) {
      Kokkos::parallel_for("Tomokkos::diagonal::unit_vector", Impl::element_range(exec, n),
                           Impl::SetUnitVector<Scalar, MemorySpace>{unit, i});
      const MultiVectorView<const Scalar, MemorySpace> X = as_multivector(unit);
      const auto Y = as_multivector(image);
      if constexpr (by_row)
        A.apply(exec, Scalar(1), X, Scalar(0), Y, RowRange{i, i + 1});
      else
        A.apply(exec, Scalar(1), X, Scalar(0), Y);
      Kokkos::parallel_for("Tomokkos::diagonal::pick", Impl::element_range(exec, 1),
                           Impl::PickElement<Scalar, MemorySpace>{image, d, by_row ? 0 : i, i});
    }
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
bool operator_tells_diagonal(const Operator& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if constexpr (requires { A.tells_diagonal(); })
    return A.tells_diagonal();
  else
    return requires(const ExecutionSpace& exec, const VectorView<Scalar, MemorySpace>& d) {
      A.diagonal(exec, d);
    };
}

template <class ExecutionSpace, class Scalar, class Operator>
bool operator_scales_values(const Operator& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if constexpr (requires { A.scales_values(); })
    return A.scales_values();
  else
    return requires(const ExecutionSpace& exec, const VectorView<const Scalar, MemorySpace>& s) {
      A.scaled(exec, s);
    };
}

template <class ExecutionSpace, class Scalar, class Operator>
void operator_diagonal_blocks(
    const ExecutionSpace& exec, const Operator& A, int size,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& blocks) {
  require(size >= 1, "blocks of the diagonal have at least one row");
  require_equal("number of rows", A.num_rows(), "the number of columns", A.num_cols());
  const long long n = A.num_rows();
  require_equal("length of the blocks", static_cast<long long>(blocks.extent(0)),
                "the entries of the blocks of A", (n + size - 1) / size * size * size);
  if constexpr (requires { A.diagonal_blocks(exec, size, blocks); })
    A.diagonal_blocks(exec, size, blocks);
  else
    throw Refused("this operator does not tell the blocks along its diagonal");
}

template <class Operator>
Offset operator_dot_sums(const Operator& A) {
  if constexpr (requires { A.dot_sums(); })
    return A.dot_sums();
  else
    return 0;
}

template <class ExecutionSpace, class Scalar, class Operator>
void operator_apply_dot(const ExecutionSpace& exec, const Operator& A,
                        const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
                        const VectorView<Scalar, typename ExecutionSpace::memory_space>& y,
                        const VectorView<double, typename ExecutionSpace::memory_space>& sums) {
  if constexpr (requires { A.apply_dot(exec, x, y, sums); }) {
    A.apply_dot(exec, x, y, sums);
  } else {
    (void)exec, (void)A, (void)x, (void)y, (void)sums;
    throw Refused("this operator has no product with a dot");
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
Vector<double, typename ExecutionSpace::memory_space> operator_row_squared_norms(
    const ExecutionSpace& exec, const Operator& A) {
  if constexpr (requires { A.row_squared_norms(exec); }) {
    return A.row_squared_norms(exec);
  } else {
    if (const auto* const csr = operator_csr<ExecutionSpace, Scalar>(A))
      return csr_row_squared_norms<ExecutionSpace, Scalar>(exec, *csr);
    throw Refused("this operator does not tell the norms of its rows, which a CSR matrix does");
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
Vector<Ordinal, typename ExecutionSpace::memory_space> operator_largest_block_counts(
    const ExecutionSpace& exec, const Operator& A, Ordinal block_rows) {
  if constexpr (requires { A.largest_block_counts(exec, block_rows); }) {
    return A.largest_block_counts(exec, block_rows);
  } else {
    if (const auto* const csr = operator_csr<ExecutionSpace, Scalar>(A))
      return csr_largest_block_counts<ExecutionSpace, Scalar>(exec, *csr, block_rows);
    throw Refused("this operator does not tell the columns of its rows, which a CSR matrix does");
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
void operator_kaczmarz_sweep(
    const ExecutionSpace& exec, const Operator& A,
    const KaczmarzSweep<Scalar, typename ExecutionSpace::memory_space>& sweep,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& b,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& x) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if constexpr (requires { A.kaczmarz_sweep(exec, sweep, b, x); }) {
    A.kaczmarz_sweep(exec, sweep, b, x);
  } else if constexpr (TransposedRowSubsettable<Operator, ExecutionSpace, Scalar>) {
    const Ordinal visits =
        sweep.order.extent(0) > 0 ? static_cast<Ordinal>(sweep.order.extent(0)) : A.num_rows();
    std::vector<Ordinal> order(sweep.order.extent(0));
    Kokkos::deep_copy(exec, VectorView<Ordinal, Kokkos::HostSpace>(order.data(), order.size()),
                      sweep.order);
    Impl::fence(exec, "kaczmarz: the host follows the order");
    const auto one = allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::kaczmarz::one", 1);
    const auto row =
        allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::kaczmarz::row", A.num_cols());
    const auto sums = allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::kaczmarz::sums", 2);
    const ReductionWorkspace<MemorySpace> workspace(exec);
    fill<ExecutionSpace, Scalar>(exec, one, Scalar(1));
    const MultiVectorView<const Scalar, MemorySpace> X = as_multivector(one);
    for (Ordinal visit = 0; visit < visits; ++visit) {
      const Ordinal i = order.empty() ? visit : order[visit];
      A.apply_transpose(exec, Scalar(1), X, Scalar(0), as_multivector(row), RowRange{i, i + 1});
      const VectorView<double, MemorySpace> row_dot_x(sums.data(), 1);
      const VectorView<double, MemorySpace> row_dot_row(sums.data() + 1, 1);
      dot<ExecutionSpace, Scalar>(exec, workspace, row, x, row_dot_x);
      dot<ExecutionSpace, Scalar>(exec, workspace, row, row, row_dot_row);
      Kokkos::parallel_for(
          "Tomokkos::kaczmarz::dense_update", Impl::element_range(exec, row.extent(0)),
          Impl::KaczmarzDenseUpdate<Scalar, MemorySpace>{row, b, row_dot_x, row_dot_row, x, i,
                                                         sweep.relaxation, sweep.minimum,
                                                         sweep.maximum});
    }
  } else {
    (void)exec, (void)sweep, (void)b, (void)x;
    throw Refused("this operator offers neither a Kaczmarz sweep nor products with single rows");
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> operator_kaczmarz_schedule(
    const ExecutionSpace& exec, const Operator& A,
    const VectorView<const Ordinal, typename ExecutionSpace::memory_space>& order) {
  if constexpr (requires { A.kaczmarz_schedule(exec, order); }) {
    return A.kaczmarz_schedule(exec, order);
  } else {
    (void)exec, (void)A, (void)order;
    return nullptr;
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
void operator_kaczmarz_sweep_levels(
    const ExecutionSpace& exec, const Operator& A, const KaczmarzSchedule<ExecutionSpace>& schedule,
    const KaczmarzSweep<Scalar, typename ExecutionSpace::memory_space>& sweep,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& b,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& x) {
  if constexpr (requires { A.kaczmarz_sweep_levels(exec, schedule, sweep, b, x); }) {
    A.kaczmarz_sweep_levels(exec, schedule, sweep, b, x);
  } else {
    (void)exec, (void)A, (void)schedule, (void)sweep, (void)b, (void)x;
    throw Refused("this operator has no Kaczmarz sweep by levels");
  }
}

}  // namespace Tomokkos
