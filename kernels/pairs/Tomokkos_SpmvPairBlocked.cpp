// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with paired rows, `Y = alpha A X + beta Y`. impl/Tomokkos_PairPasses_impl.hpp says how
// the pairs are visited.
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_PairBlockedFormat.hpp>
#include <impl/Tomokkos_PairPasses_impl.hpp>
#include <impl/Tomokkos_ProductTarget.hpp>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <impl/Tomokkos_StoredProducts_impl.hpp>
#include <impl/Tomokkos_StoredSpmm_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// `Y = alpha A(range, :) X + beta Y`
template <class Scalar>
struct MultiplyPairs {
  PairBlocks<Scalar> A;
  MultiVectorPass<Scalar> pass;
  RowRange range;

  int width() const { return pass.width; }
  /// Returns the product with \p count vectors from \p first on.
  KOKKOS_FUNCTION MultiplyPairs part(int first, int count) const {
    MultiplyPairs result = *this;
    result.pass.x += first;
    result.pass.y += first;
    result.pass.width = count;
    return result;
  }

  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal column, Scalar value, int lane,
                                       Scalar (&sum)[Vectors::V]) const {
    const Scalar* const x = pass.x + pass.at(column);
    Vectors::for_each(lane, pass.width, [&](int v, int vector) {
      sum[v] = multiply_add(value, load_gathered(x + vector), sum[v]);
    });
  }

  /// Writes the sums of a row and clears them.
  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Ordinal row, int lane, Scalar (&sum)[Vectors::V]) const {
    Scalar* const y = pass.y + pass.at(row - range.begin);
    Vectors::for_each(lane, pass.width, [&](int v, int vector) {
      y[vector] = combine(pass.alpha, sum[v], pass.beta, y[vector]);
      sum[v] = 0;
    });
  }

  /// Processes both rows of the pairs of a step; the range is all rows.
  template <class Vectors, int most_pairs>
  KOKKOS_FORCEINLINE_FUNCTION void process(const PairStep<most_pairs>& step, int lane) const {
    Scalar sum[most_pairs][Vectors::V];
    bool turned[most_pairs];
    for (int i = 0; i < step.count; ++i) {
      for (int v = 0; v < Vectors::V; ++v) sum[i][v] = 0;
      turned[i] = false;
    }
    const auto turn = [&](int i) {
      finish<Vectors>(A.first_row(step.begin + i), lane, sum[i]);
      turned[i] = true;
    };
    const auto take = [&](int i, Ordinal column, Scalar value) {
      add<Vectors>(column, value, lane, sum[i]);
    };
    visit_part<PairPart::first, Vectors::ahead>(A, step, 0, A.mixed_begin, turn, take);
    visit_part<PairPart::mixed, Vectors::ahead>(A, step, A.mixed_begin, A.mixed_end, turn, take);
    for (int i = 0; i < step.count; ++i)
      if (!turned[i]) turn(i);
    visit_part<PairPart::second, Vectors::ahead>(A, step, A.mixed_end, A.width, turn, take);
    for (int i = 0; i < step.count; ++i)
      if (A.has_second(step.begin + i)) finish<Vectors>(A.second_row(step.begin + i), lane, sum[i]);
  }

  /// Processes the entries of \p row, at the places from \p begin to \p end of a pair. The order of
  /// the sums is that of `process`.
  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void process_row(const PairStep<1>& step, Ordinal row, Ordinal begin,
                                               Ordinal end, int lane) const {
    Scalar sum[Vectors::V] = {};
    visit_part<PairPart::second, Vectors::ahead>(
        A, step, begin, end, [](int) {},
        [&](int, Ordinal column, Scalar value) { add<Vectors>(column, value, lane, sum); });
    finish<Vectors>(row, lane, sum);
  }
};

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatKernels<ExecutionSpace, PairBlockedMatrix<Scalar, MemorySpace>> {
  using Matrix = PairBlockedMatrix<Scalar, MemorySpace>;

  static void multiply(const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>&,
                       const Matrix& A, const ProductTarget<Scalar>& target) {
    launch_pairs(exec, "Tomokkos::spmv::pair_blocked",
                 MultiplyPairs<Scalar>{PairBlocks<Scalar>(A),
                                       {target.x, target.y, target.alpha, target.beta, 1, 1},
                                       {0, A.num_rows}});
  }
};

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatSpmm<ExecutionSpace, PairBlockedMatrix<Scalar, MemorySpace>> {
  static void multiply(const ExecutionSpace& exec, const PairBlockedMatrix<Scalar, MemorySpace>& A,
                       const MultiVectorPass<Scalar>& pass, const SpmmOptions&) {
    launch_pairs(exec, "Tomokkos::spmm::pair_blocked",
                 MultiplyPairs<Scalar>{PairBlocks<Scalar>(A), pass, {0, A.num_rows}});
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void spmm(const ExecutionSpace& exec,
          const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows,
          Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
          Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  const auto pass = Impl::whole_pass(range.size(A.num_rows), A.num_cols, alpha, X, beta, Y);
  if (Y.size() == 0) return;
  Impl::launch_pairs(exec, "Tomokkos::spmm::pair_blocked::rows",
                     Impl::MultiplyPairs<Scalar>{Impl::PairBlocks<Scalar>(A), pass, range});
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, PairBlockedMatrix<SCALAR, SPACE::memory_space>) \
  TOMOKKOS_INSTANTIATE_SPMM(SPACE, SCALAR, PairBlockedMatrix<SCALAR, SPACE::memory_space>)     \
  template void spmm<SPACE, SCALAR>(                                                           \
      const SPACE&, const PairBlockedMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,   \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                       \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
