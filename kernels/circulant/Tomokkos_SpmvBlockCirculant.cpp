// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_CirculantVectors.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Spmm.hpp>
#include <Tomokkos_SpmvBlockCirculant.hpp>
#include <algorithm>
#include <impl/Tomokkos_CirculantHostLanes.hpp>
#include <impl/Tomokkos_CirculantHostRows.hpp>
#include <impl/Tomokkos_CirculantTeamRows.hpp>
#include <impl/Tomokkos_CirculantTeams.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// \brief Returns whether the variant reads X replicated.
constexpr bool replicates(CirculantVariant variant) {
  switch (variant) {
    case CirculantVariant::mm_2:
    case CirculantVariant::maxpy_2:
    case CirculantVariant::maxpy_4:
    case CirculantVariant::maxpy_8:
    case CirculantVariant::maxpy_12:
    case CirculantVariant::maxpy_16:
    case CirculantVariant::replicated:
      return true;
    default:
      return false;
  }
}

/// \brief Returns the number of values of X in the order of C: two copies without the last block.
template <class Scalar, class MemorySpace>
Offset unrolled_size(const BlockCirculantMatrix<Scalar, MemorySpace>& A, int vectors) {
  return (2 * Offset{A.blocks} - 1) * A.block_cols * vectors;
}

template <class Scalar, class MemorySpace>
Offset circulant_work_size(const BlockCirculantMatrix<Scalar, MemorySpace>& A,
                           CirculantVariant variant, int vectors) {
  if (replicates(variant)) return replicated_size(A.block_cols, A.pitch, vectors);
  if (variant == CirculantVariant::basic_mv)
    return unrolled_size(A, vectors) + Offset{A.num_rows()} * vectors;
  if (variant == CirculantVariant::library)
    return Offset{A.num_rows()} + (vectors > 1 ? A.num_cols() : 0);
  return 0;
}

/// \brief Computes the rows of blocks one by one, each as a product of the block row with a vector.
template <class ExecutionSpace, class Scalar>
void multiply_block_rows(
    const ExecutionSpace& exec, const BlockCirculantPlan<ExecutionSpace, Scalar>& plan,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const CirculantPass<Scalar>& pass) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const CsrMatrix<Scalar, MemorySpace>& block_row = plan.block_row();
  require(block_row.num_rows == A.block_rows && block_row.num_cols == A.num_cols() &&
              block_row.num_nonzeros() == A.num_stored(),
          "the plan of basic_mv belongs to another matrix");
  const int s = pass.vectors;
  const Offset size = unrolled_size(A, s);
  Scalar* const x = plan.work().data();
  Scalar* const y = x + size;
  Kokkos::parallel_for("Tomokkos::spmv::block_circulant::unroll",
                       element_range(exec, static_cast<std::size_t>(size)),
                       UnrollBlocks<Scalar>{pass.x, x, A.block_cols, A.blocks, s});
  for (Ordinal p = 0; p < A.blocks; ++p) {
    const Scalar* const from = x + Offset{p} * A.block_cols * s;
    Scalar* const to = y + Offset{p} * A.block_rows * s;
    if (s == 1)
      spmv<ExecutionSpace, Scalar>(exec, plan.block_row_plan(), block_row, Scalar(1),
                                   VectorView<const Scalar, MemorySpace>(from, A.num_cols()),
                                   Scalar(0), VectorView<Scalar, MemorySpace>(to, A.block_rows));
    else
      spmm<ExecutionSpace, Scalar>(
          exec, block_row, all_rows, Scalar(1),
          MultiVectorView<const Scalar, MemorySpace>(from, A.num_cols(), s), Scalar(0),
          MultiVectorView<Scalar, MemorySpace>(to, A.block_rows, s));
  }
  Kokkos::parallel_for(
      "Tomokkos::spmv::block_circulant::gather",
      element_range(exec, static_cast<std::size_t>(A.num_rows()) * static_cast<std::size_t>(s)),
      GatherBlocks<Scalar>{y, pass.y, A.block_rows, A.blocks, s, pass.alpha, pass.beta});
}

/// \brief Computes the product with another library, vector by vector.
template <class ExecutionSpace, class Scalar>
void multiply_by_library(const ExecutionSpace& exec,
                         const BlockCirculantPlan<ExecutionSpace, Scalar>& plan, Ordinal num_rows,
                         Ordinal num_cols, const CirculantPass<Scalar>& pass) {
  const int s = pass.vectors;
  if (s == 1 && pass.alpha == Scalar(1) && pass.beta == Scalar(0)) {
    plan.library()(pass.x, pass.y);
    return;
  }
  Scalar* const y = plan.work().data();
  Scalar* const x = y + num_rows;
  for (int t = 0; t < s; ++t) {
    if (s > 1)
      Kokkos::parallel_for("Tomokkos::spmv::block_circulant::take_vector",
                           element_range(exec, static_cast<std::size_t>(num_cols)),
                           TakeVector<Scalar>{pass.x, x, s, t});
    plan.library()(s > 1 ? x : pass.x, y);
    Kokkos::parallel_for("Tomokkos::spmv::block_circulant::combine",
                         element_range(exec, static_cast<std::size_t>(num_rows)),
                         CombineVector<Scalar>{y, pass.y, s, t, pass.alpha, pass.beta});
  }
}

/// \brief Launches a kernel over rows for one of the variants of the paper.
template <CirculantVariant Variant, class ExecutionSpace, class Scalar>
void launch_circulant_rows(const ExecutionSpace& exec, const std::string& label,
                           const CirculantPass<Scalar>& pass) {
  const CirculantPlaces places(pass.pitch);
  if constexpr (is_host_space<ExecutionSpace>)
    launch_shares(exec, label, pass.row_offsets, pass.block_rows,
                  choose_shares(exec, pass.block_rows), [&](const RowShares& shares) {
                    return CirculantHostRows<Scalar, Variant>{pass, places, shares};
                  });
  else
    CirculantTeamRow<ExecutionSpace, Scalar, Variant>{pass, places}.launch(exec, label);
}

template <bool Replicated, class ExecutionSpace, class Scalar>
void launch_circulant_registers(const ExecutionSpace& exec, const std::string& label,
                                const CirculantPass<Scalar>& pass) {
  if constexpr (is_host_space<ExecutionSpace>)
    run_circulant_lanes<Replicated>(exec, label, pass, choose_shares(exec, pass.block_rows));
  else
    launch_circulant_teams<Replicated, ExecutionSpace, Scalar>(exec, label, pass);
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
BlockCirculantPlan<ExecutionSpace, Scalar>::BlockCirculantPlan(const ExecutionSpace& exec,
                                                               const matrix_type& A,
                                                               CirculantVariant variant,
                                                               int vectors,
                                                               CirculantLibrary<Scalar> library)
    : variant_(variant), library_(std::move(library)) {
  require(vectors >= 1, "a product needs at least one vector");
  if (variant_ == CirculantVariant::automatic)
    variant_ = choose_circulant_variant(
        !Impl::is_host_space<ExecutionSpace>, A.blocks,
        static_cast<double>(A.num_stored()) / std::max<Ordinal>(A.block_rows, 1), vectors);
  require(variant_ != CirculantVariant::library || library_ != nullptr,
          "the variant library needs the product of a library");
  if (variant_ == CirculantVariant::basic_mv) {
    block_row_ = block_row_from_block_circulant<ExecutionSpace, Scalar>(exec, A);
    SpmvOptions options;
    // On hosts: the same bits for any number of threads.
    options.deterministic = true;
    block_row_plan_ =
        SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, memory_space>>(exec, block_row_, options);
  }
  reserve(exec, A, vectors);
  Impl::fence(exec, "BlockCirculantPlan: any instance may use it from now on");
}

template <class ExecutionSpace, class Scalar>
void BlockCirculantPlan<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec,
                                                         const matrix_type& A, int vectors) const {
  const Offset size = Impl::circulant_work_size(A, variant_, vectors);
  if (static_cast<Offset>(work_.extent(0)) < size)
    work_ =
        allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BlockCirculantPlan::work", size);
}

template <class ExecutionSpace, class Scalar>
void spmv(const ExecutionSpace& exec, const BlockCirculantPlan<ExecutionSpace, Scalar>& plan,
          const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
          Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
          Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  Impl::require_operands(Impl::Operand("X", X, "columns of A", A.num_cols()),
                         Impl::Operand("Y", Y, "rows of A", A.num_rows()));
  require(plan.variant() != CirculantVariant::automatic,
          "the plan is empty: construct it with a matrix");
  if (Y.size() == 0) return;
  const auto s = static_cast<int>(X.extent(1));
  auto pass = Impl::circulant_pass(A, s, X.data(), Y.data(), alpha, beta);
  plan.reserve(exec, A, s);
  if (Impl::replicates(plan.variant())) {
    Impl::replicate(exec, A.block_cols, A.blocks, A.pitch, s, X.data(), plan.work().data());
    pass.x = plan.work().data();
  }
  const std::string label =
      "Tomokkos::spmv::block_circulant::" + std::string(to_string(plan.variant()));
  switch (plan.variant()) {
    case CirculantVariant::basic_mv:
      return Impl::multiply_block_rows<ExecutionSpace, Scalar>(exec, plan, A, pass);
    case CirculantVariant::spmm:
      return Impl::launch_circulant_rows<CirculantVariant::spmm>(exec, label, pass);
    case CirculantVariant::mm:
      return Impl::launch_circulant_rows<CirculantVariant::mm>(exec, label, pass);
    case CirculantVariant::mm_2:
      return Impl::launch_circulant_rows<CirculantVariant::mm_2>(exec, label, pass);
    case CirculantVariant::maxpy_2:
      return Impl::launch_circulant_rows<CirculantVariant::maxpy_2>(exec, label, pass);
    case CirculantVariant::maxpy_4:
      return Impl::launch_circulant_rows<CirculantVariant::maxpy_4>(exec, label, pass);
    case CirculantVariant::maxpy_8:
      return Impl::launch_circulant_rows<CirculantVariant::maxpy_8>(exec, label, pass);
    case CirculantVariant::maxpy_12:
      return Impl::launch_circulant_rows<CirculantVariant::maxpy_12>(exec, label, pass);
    case CirculantVariant::maxpy_16:
      return Impl::launch_circulant_rows<CirculantVariant::maxpy_16>(exec, label, pass);
    case CirculantVariant::team:
      return Impl::launch_circulant_rows<CirculantVariant::team>(exec, label, pass);
    case CirculantVariant::registers:
      return Impl::launch_circulant_registers<false>(exec, label, pass);
    case CirculantVariant::replicated:
      return Impl::launch_circulant_registers<true>(exec, label, pass);
    case CirculantVariant::library:
      return Impl::multiply_by_library<ExecutionSpace, Scalar>(exec, plan, A.num_rows(),
                                                               A.num_cols(), pass);
    case CirculantVariant::automatic:
      break;
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  template class BlockCirculantPlan<SPACE, SCALAR>;                                            \
  template void spmv<SPACE, SCALAR>(const SPACE&, const BlockCirculantPlan<SPACE, SCALAR>&,    \
                                    const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&,  \
                                    SCALAR,                                                    \
                                    const MultiVectorView<const SCALAR, SPACE::memory_space>&, \
                                    SCALAR, const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
