// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_CsrOps.hpp>
#include <Tomokkos_ForEach.hpp>

namespace Tomokkos {
namespace Impl {

/// Threads of the single team that runs a Kaczmarz sweep, a power of two. Rows of a scan have
/// hundreds of nonzeros, and each doubling of the team adds a barrier per row.
inline constexpr int kaczmarz_threads = 512;

template <class Scalar, class MemorySpace>
struct PickDiagonal {
  CsrMatrix<Scalar, MemorySpace> A;
  VectorView<Scalar, MemorySpace> d;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Scalar value = 0;
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
      if (A.columns(k) == row) value += A.values(k);
    d(row) = value;
  }
};

/// Copies a row of its diagonal block. Rows after the last row of A are those of the identity.
template <class Scalar, class MemorySpace>
struct PickDiagonalBlocks {
  CsrMatrix<Scalar, MemorySpace> A;
  VectorView<Scalar, MemorySpace> blocks;
  int size;

  KOKKOS_FUNCTION void operator()(const Offset row) const {
    const Offset first = row / size * size;
    Scalar* const entries = blocks.data() + row * size;
    for (int j = 0; j < size; ++j) entries[j] = Scalar(0);
    if (row >= A.num_rows) {
      entries[row - first] = Scalar(1);
      return;
    }
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
      const Offset column = A.columns(k) - first;
      if (column >= 0 && column < size) entries[column] += A.values(k);
    }
  }
};

template <class Scalar, class MemorySpace>
struct ScaleMatrix {
  CsrMatrix<Scalar, MemorySpace> A;
  VectorView<const Scalar, MemorySpace> row_scale, column_scale;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
      // Multiply the scales first. The product is symmetric in row and column, so a symmetric
      // matrix stays symmetric.
      values(k) = A.values(k) * (row_scale(row) * column_scale(A.columns(k)));
  }
};

/// \brief Data of a Kaczmarz sweep, shared by the kernels for one thread and for one team.
template <class ExecutionSpace, class Scalar>
struct CsrKaczmarz {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int team_size = kaczmarz_threads;

  CsrMatrix<Scalar, MemorySpace> A;
  VectorView<const Ordinal, MemorySpace> order;
  VectorView<const Scalar, MemorySpace> b;
  VectorView<Scalar, MemorySpace> x;
  Scalar relaxation, minimum, maximum;

  KOKKOS_FUNCTION Ordinal num_visits() const {
    return order.extent(0) > 0 ? static_cast<Ordinal>(order.extent(0)) : A.num_rows;
  }
  KOKKOS_FUNCTION Ordinal visited_row(Ordinal visit) const {
    const Ordinal row = order.extent(0) > 0 ? order(visit) : visit;
    TOMOKKOS_ASSERT(row >= 0 && row < A.num_rows);
    return row;
  }

  /// Returns the step length for a row: x changes by this factor times the entries of the row.
  KOKKOS_FUNCTION double step(Ordinal row, double row_dot_x, double row_dot_row) const {
    return relaxation * (static_cast<double>(b(row)) - row_dot_x) / row_dot_row;
  }

  KOKKOS_FUNCTION void update(Offset k, double step) const {
    const Ordinal column = A.columns(k);
    TOMOKKOS_ASSERT(column >= 0 && column < A.num_cols);
    const double value = x(column) + step * static_cast<double>(A.values(k));
    x(column) = value < minimum ? minimum : value > maximum ? maximum : static_cast<Scalar>(value);
  }

  /// Sweeps over all rows with one thread. The policy requires the index, which is not used.
  KOKKOS_FUNCTION void operator()(const Ordinal) const {
    for (Ordinal visit = 0; visit < num_visits(); ++visit) {
      const Ordinal row = visited_row(visit);
      const Offset begin = A.row_offsets(row), end = A.row_offsets(row + 1);
      double row_dot_x = 0, row_dot_row = 0;
      for (Offset k = begin; k < end; ++k) {
        const double value = A.values(k);
        row_dot_x += value * x(A.columns(k));
        row_dot_row += value * value;
      }
      if (row_dot_row == 0) continue;
      const double by = step(row, row_dot_x, row_dot_row);
      for (Offset k = begin; k < end; ++k) update(k, by);
    }
  }

  /// Sweeps over all rows with one team.
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* partial =
        static_cast<double*>(member.team_shmem().get_shmem(2 * team_size * sizeof(double)));
    for (Ordinal visit = 0; visit < num_visits(); ++visit) {
      const Ordinal row = visited_row(visit);
      const Offset begin = A.row_offsets(row), end = A.row_offsets(row + 1);
      double row_dot_x = 0, row_dot_row = 0;
      for (Offset k = begin + member.team_rank(); k < end; k += member.team_size()) {
        const double value = A.values(k);
        row_dot_x += value * x(A.columns(k));
        row_dot_row += value * value;
      }
      partial[member.team_rank()] = row_dot_x;
      partial[team_size + member.team_rank()] = row_dot_row;
      member.team_barrier();
      for (int half = team_size / 2; half > 0; half /= 2) {
        if (member.team_rank() < half) {
          partial[member.team_rank()] += partial[member.team_rank() + half];
          partial[team_size + member.team_rank()] += partial[team_size + member.team_rank() + half];
        }
        member.team_barrier();
      }
      if (partial[team_size] != 0) {
        const double by = step(row, partial[0], partial[team_size]);
        for (Offset k = begin + member.team_rank(); k < end; k += member.team_size()) update(k, by);
      }
      // The next row reads x and overwrites the partial sums.
      member.team_barrier();
    }
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void csr_diagonal(const ExecutionSpace& exec,
                  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                  const OutputVector<ExecutionSpace, Scalar>& d) {
  const Ordinal size = A.num_rows < A.num_cols ? A.num_rows : A.num_cols;
  require_equal("length of the diagonal", static_cast<long long>(d.extent(0)),
                "the smaller of the rows and columns of A", size);
  Kokkos::parallel_for("Tomokkos::csr::diagonal",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, size),
                       Impl::PickDiagonal<Scalar, typename ExecutionSpace::memory_space>{A, d});
}

template <class ExecutionSpace, class Scalar>
void csr_diagonal_blocks(const ExecutionSpace& exec,
                         const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                         int size, const OutputVector<ExecutionSpace, Scalar>& blocks) {
  require(size >= 1, "diagonal blocks must have at least one row");
  require_equal("number of rows", A.num_rows, "the number of columns", A.num_cols);
  const Offset rows = (static_cast<Offset>(A.num_rows) + size - 1) / size * size;
  require_equal("length of the blocks", static_cast<long long>(blocks.extent(0)),
                "number of entries in the diagonal blocks of A",
                static_cast<long long>(rows * size));
  Kokkos::parallel_for(
      "Tomokkos::csr::diagonal_blocks", Impl::element_range(exec, rows),
      Impl::PickDiagonalBlocks<Scalar, typename ExecutionSpace::memory_space>{A, blocks, size});
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_scaled(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const InputVector<ExecutionSpace, Scalar>& row_scale,
    const InputVector<ExecutionSpace, Scalar>& column_scale) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require_equal("length of row_scale", static_cast<long long>(row_scale.extent(0)), "rows of A",
                A.num_rows);
  require_equal("length of column_scale", static_cast<long long>(column_scale.extent(0)),
                "columns of A", A.num_cols);
  const auto values = Impl::allocate_values<Scalar, MemorySpace>(exec, A.num_nonzeros());
  Kokkos::parallel_for("Tomokkos::csr::scaled",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                       Impl::ScaleMatrix<Scalar, MemorySpace>{A, row_scale, column_scale, values});
  Impl::fence(exec, "csr_scaled: the values are complete");
  return {A.num_rows, A.num_cols, A.row_offsets, A.columns, values};
}

template <class ExecutionSpace, class Scalar>
void csr_kaczmarz_sweep(const ExecutionSpace& exec,
                        const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                        const InputVector<ExecutionSpace, Ordinal>& order,
                        Coefficient<Scalar> relaxation, Coefficient<Scalar> minimum,
                        Coefficient<Scalar> maximum, const InputVector<ExecutionSpace, Scalar>& b,
                        const OutputVector<ExecutionSpace, Scalar>& x) {
  using Functor = Impl::CsrKaczmarz<ExecutionSpace, Scalar>;
  Impl::require_operands(Impl::Operand("b", b, "rows of A", A.num_rows),
                         Impl::Operand("x", x, "columns of A", A.num_cols));
  const Functor functor{A, order, b, x, relaxation, minimum, maximum};
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for("Tomokkos::csr::kaczmarz", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, 1),
                         functor);
  } else {
    typename Functor::Policy policy(exec, 1, Functor::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(2 * Functor::team_size * sizeof(double)));
    Kokkos::parallel_for("Tomokkos::csr::kaczmarz", policy, functor);
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template void csr_diagonal<SPACE, SCALAR>(const SPACE&,                                    \
                                            const CsrMatrix<SCALAR, SPACE::memory_space>&,   \
                                            const VectorView<SCALAR, SPACE::memory_space>&); \
  template void csr_diagonal_blocks<SPACE, SCALAR>(                                          \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, int,                      \
      const VectorView<SCALAR, SPACE::memory_space>&);                                       \
  template CsrMatrix<SCALAR, SPACE::memory_space> csr_scaled<SPACE, SCALAR>(                 \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                           \
      const VectorView<const SCALAR, SPACE::memory_space>&,                                  \
      const VectorView<const SCALAR, SPACE::memory_space>&);                                 \
  template void csr_kaczmarz_sweep<SPACE, SCALAR>(                                           \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                           \
      const VectorView<const Ordinal, SPACE::memory_space>&, SCALAR, SCALAR, SCALAR,         \
      const VectorView<const SCALAR, SPACE::memory_space>&,                                  \
      const VectorView<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
