// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SpmvBlockCirculant.hpp>
#include <algorithm>
#include <impl/Tomokkos_CirculantBack.hpp>
#include <impl/Tomokkos_CirculantBounds.hpp>
#include <impl/Tomokkos_CirculantHostBack.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
CirculantTransposePlan<ExecutionSpace, Scalar>::CirculantTransposePlan(const ExecutionSpace& exec,
                                                                       const matrix_type& A,
                                                                       int vectors) {
  require(vectors >= 1, "a product has at least one vector");
  if constexpr (!Impl::is_host_space<ExecutionSpace>) {
    bound_ =
        allocate<Vector<double, memory_space>>(exec, "Tomokkos::CirculantTransposePlan::bound", 1);
    const Impl::CirculantBounds bounds = Impl::circulant_column_bounds(exec, A, bound_);
    column_bound_ = bounds.largest_sum;
    terms_ = bounds.most_entries;
    if (column_bound_ > 0)
      Impl::require_summable_columns<Scalar>(column_bound_, "a transposed product of blocks");
  }
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    column_begins_ =
        Impl::choose_column_ranges(Impl::concurrency(exec), A.row_offsets.data(),
                                   A.positions.data(), A.block_rows, A.block_cols, A.pitch);
  reserve(exec, A, vectors);
  Impl::fence(exec, "CirculantTransposePlan: any instance may use it from now on");
}

template <class ExecutionSpace, class Scalar>
void CirculantTransposePlan<ExecutionSpace, Scalar>::reserve(
    [[maybe_unused]] const ExecutionSpace& exec, [[maybe_unused]] const matrix_type& A,
    [[maybe_unused]] int vectors) const {
  if constexpr (!Impl::is_host_space<ExecutionSpace>) {
    const auto grow = [&](auto& view, const char* label, Offset size) {
      using View = std::decay_t<decltype(view)>;
      if (static_cast<Offset>(view.extent(0)) >= size) return;
      view = View();
      view = allocate<View>(exec, label, size);
      Kokkos::deep_copy(exec, view, typename View::value_type(0));
    };
    grow(sums_, "Tomokkos::CirculantTransposePlan::sums", Offset{A.block_cols} * A.pitch * vectors);
    grow(faults_, "Tomokkos::CirculantTransposePlan::faults", Offset{A.num_cols()} * vectors);
  }
}

template <class ExecutionSpace, class Scalar>
void spmv_transpose(const ExecutionSpace& exec,
                    const CirculantTransposePlan<ExecutionSpace, Scalar>& plan,
                    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& Y,
                    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& X) {
  Impl::require_operands(Impl::Operand("Y", Y, "rows of A", A.num_rows()),
                         Impl::Operand("X", X, "columns of A", A.num_cols()));
  if (X.size() == 0) return;
  const auto pass =
      Impl::circulant_pass(A, static_cast<int>(Y.extent(1)), Y.data(), X.data(), alpha, beta);
  const char* const label = "Tomokkos::spmv_transpose::block_circulant";
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    require(!plan.column_begins().empty() && plan.column_begins().back() == A.block_cols,
            "the plan was made for another matrix, or for none");
    const Impl::CirculantGrid grid =
        Impl::choose_circulant_grid(Impl::concurrency(exec), plan.column_begins(), pass.width());
    Kokkos::parallel_for(
        label,
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0,
                                                                               grid.parts()),
        Impl::CirculantHostBack<Scalar>{pass, A.block_cols, Impl::CirculantPlaces(A.pitch), grid});
  } else {
    using Integer = typename CirculantTransposePlan<ExecutionSpace, Scalar>::integer_type;
    require(plan.bound().extent(0) == 1, "the plan was made for another matrix, or for none");
    plan.reserve(exec, A, pass.vectors);
    const int bits = Impl::circulant_sum_bits<Integer>(plan.terms());
    Impl::largest_finite(exec, "Tomokkos::spmv_transpose::block_circulant::largest", Y.data(),
                         static_cast<Offset>(Y.size()), 1, plan.bound());
    if (A.block_rows > 0)
      Impl::launch_circulant_back<ExecutionSpace, Scalar, Integer>(
          exec, label, pass, plan.sums().data(), plan.faults().data(), plan.bound().data(),
          plan.column_bound(), bits);
    Kokkos::parallel_for(
        "Tomokkos::spmv_transpose::block_circulant::fold", Impl::element_range(exec, X.size()),
        Impl::FoldSums<Scalar, Integer>{plan.bound().data(), plan.column_bound(), bits, alpha, beta,
                                        Impl::DivideBy(static_cast<std::uint32_t>(pass.width())),
                                        A.pitch * pass.vectors, pass.vectors, plan.sums().data(),
                                        plan.faults().data(), X.data()});
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                              \
  template class CirculantTransposePlan<SPACE, SCALAR>;                  \
  template void spmv_transpose<SPACE, SCALAR>(                           \
      const SPACE&, const CirculantTransposePlan<SPACE, SCALAR>&,        \
      const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&, SCALAR,  \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR, \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
