// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchSpmm.hpp"

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Spmm.hpp>
#include <Tomokkos_Spmv.hpp>
#include <algorithm>

namespace Tomokkos::Bench {
namespace {

/// 1, 1/2, ..., 1/128, 1, ...: tells neighbouring columns apart and rounds nothing.
template <class Scalar>
KOKKOS_FUNCTION Scalar column_scale(std::size_t column) {
  return Scalar(1) / Scalar(1 << (column % 8));
}

template <class Scalar, class MemorySpace>
struct SpreadColumns {
  Vector<Scalar, MemorySpace> x;
  MultiVector<Scalar, MemorySpace> X;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    for (std::size_t j = 0; j < X.extent(1); ++j) X(i, j) = x(i) * column_scale<Scalar>(j);
  }
};

template <class Scalar, class MemorySpace>
struct TakeColumn {
  MultiVector<Scalar, MemorySpace> Y;
  Vector<Scalar, MemorySpace> y;
  std::size_t column;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    y(i) = Y(i, column) / column_scale<Scalar>(column);
  }
};

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_own_spmm(CandidateList& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                  int vectors) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  list.attempt("tomokkos", "csr", "element:" + std::to_string(vectors), [&] {
    const ExecutionSpace exec = matrix_case.exec();
    const auto A = matrix_case.matrix();
    const auto X =
        allocate<MultiVector<Scalar, MemorySpace>>(exec, "Tomokkos::Bench::X", A.num_cols, vectors);
    const auto Y =
        allocate<MultiVector<Scalar, MemorySpace>>(exec, "Tomokkos::Bench::Y", A.num_rows, vectors);
    Kokkos::parallel_for("Tomokkos::bench::spread_columns", Range(exec, 0, A.num_cols),
                         SpreadColumns<Scalar, MemorySpace>{matrix_case.x(false), X});
    exec.fence();
    Candidate candidate;
    candidate.memory_bytes = csr_bytes(A, sizeof(Offset));
    candidate.bytes_model =
        candidate.memory_bytes + static_cast<std::size_t>(vectors) * vector_bytes(A);
    candidate.footprint_bytes = candidate.bytes_model;
    candidate.launch = [exec, A, X, Y] {
      spmm<ExecutionSpace, Scalar>(exec, A, all_rows, Scalar(1), as_multivector(X), Scalar(0),
                                   as_multivector(Y));
    };
    candidate.fence = [exec] { exec.fence(); };
    candidate.poison = [exec, Y] {
      Kokkos::deep_copy(exec, Y, Scalar(1e30));
      exec.fence();
    };
    candidate.error = [exec, Y, y = matrix_case.y(false),
                       reference = matrix_case.reference(false)] {
      double worst = 0;
      for (std::size_t column = 0; column < Y.extent(1); ++column) {
        Kokkos::parallel_for("Tomokkos::bench::take_column",
                             Range(exec, 0, static_cast<Ordinal>(y.extent(0))),
                             TakeColumn<Scalar, MemorySpace>{Y, y, column});
        worst = std::max(worst, largest_error<ExecutionSpace, Scalar>(exec, reference, y));
      }
      return worst;
    };
    return candidate;
  });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template void add_own_spmm<SPACE, SCALAR>(CandidateList&, BenchCase<SPACE, SCALAR>&, int);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
