// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <algorithm>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <impl/Tomokkos_SpmvAligned_impl.hpp>
#include <impl/Tomokkos_SpmvCsr_impl.hpp>
#include <impl/Tomokkos_SpmvMergeAtomic_impl.hpp>
#include <impl/Tomokkos_SpmvMergePath_impl.hpp>
#include <impl/Tomokkos_SpmvMergeProducts_impl.hpp>
#include <impl/Tomokkos_SpmvStaged_impl.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::SpmvPlan(
    const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options)
    : statistics_(row_statistics(exec, A)) {
  const DeviceTraits device = device_traits(exec);
  options_ = choose_spmv_launch(device, statistics_, options, sizeof(Scalar));
  row_options_ = options_;
  const bool by_pieces =
      options_.variant == SpmvVariant::merge_atomic ||
      (options_.variant == SpmvVariant::merge_path && options_.vector_length == 1);
  if (device.gpu && by_pieces) {
    // The teams of these variants cannot share a row.
    SpmvOptions by_rows;
    by_rows.variant = SpmvVariant::team_vector;
    row_options_ = choose_spmv_launch(device, statistics_, by_rows, sizeof(Scalar));
  }
  if (options_.variant == SpmvVariant::spmv4gpu)
    aligned_rows_ = Impl::align_rows<ExecutionSpace, Scalar>(exec, A);
  const bool by_sections = options_.variant == SpmvVariant::merge_atomic;
  if (!by_sections && options_.variant != SpmvVariant::merge_path) return;
  const Offset path_length = static_cast<Offset>(A.num_rows) + A.num_nonzeros();
  num_tiles_ = (path_length + options_.items_per_tile - 1) / options_.items_per_tile;
  if (by_sections) return;
  tile_rows_ = allocate<Kokkos::View<Ordinal*, memory_space>>(exec, "Tomokkos::SpmvPlan::tile_rows",
                                                              num_tiles_ + 1);
  carries_ = allocate<Kokkos::View<double*, memory_space>>(exec, "Tomokkos::SpmvPlan::carries",
                                                           num_tiles_);
  Kokkos::parallel_for(
      "Tomokkos::spmv::csr::merge_path::find_tiles",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(exec, 0, num_tiles_ + 1),
      Impl::FindMergePathTiles<memory_space>{A.row_offsets.data(), A.num_rows, A.num_nonzeros(),
                                             options_.items_per_tile, tile_rows_});
  Impl::fence(exec, "SpmvPlan: the tiles are complete");
}

template <class ExecutionSpace, class Scalar>
std::size_t
SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::memory_bytes()
    const {
  return tile_rows_.extent(0) * sizeof(Ordinal) + carries_.extent(0) * sizeof(double) +
         aligned_rows_.begins.extent(0) * sizeof(Offset) +
         aligned_rows_.columns.extent(0) * (sizeof(Ordinal) + sizeof(Scalar));
}

template <class ExecutionSpace, class Scalar>
Ordinal SpmvPlan<ExecutionSpace,
                 CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>::range_unit() const {
  switch (options_.variant) {
    case SpmvVariant::merge_atomic:
      return 0;
    case SpmvVariant::merge_path:
      return tiles_are_whole_rows() ? 1 : 0;
    case SpmvVariant::spmv4gpu:
      return Impl::is_host_space<ExecutionSpace> ? 1 : 0;
    case SpmvVariant::staged:
      // Rows that do not fit the scratch memory are split into chunks that start at the first row
      // of a team.
      return Impl::is_host_space<ExecutionSpace> ? 1 : options_.rows_per_team;
    default:
      return 1;
  }
}

namespace Impl {

/// Checks that the plan belongs to A: a plan for another matrix would read tiles outside its
/// arrays.
template <class Plan, class Matrix>
void require_plan_of(const Plan& plan, const Matrix& A) {
  require_equal("rows of A", A.num_rows, "rows of the matrix of the plan", plan.statistics().rows);
  require_equal("nonzeros of A", A.num_nonzeros(), "nonzeros of the matrix of the plan",
                plan.statistics().nonzeros);
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void spmv(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Coefficient<Scalar> alpha,
    const InputVector<ExecutionSpace, Scalar>& x, Coefficient<Scalar> beta,
    const OutputVector<ExecutionSpace, Scalar>& y) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Impl::require_plan_of(plan, A);
  const SpmvVariant variant = plan.options().variant;
  if (variant != SpmvVariant::merge_path && variant != SpmvVariant::merge_atomic &&
      variant != SpmvVariant::spmv4gpu) {
    spmv_rows(exec, plan, A, all_rows, alpha, x, beta, y);
    return;
  }
  Impl::require_operands(Impl::Operand("x", x, "columns of A", A.num_cols),
                         Impl::Operand("y", y, "rows of A", A.num_rows));
  if (variant == SpmvVariant::spmv4gpu) {
    if (A.num_rows > 0)
      Impl::launch_spmv_aligned(exec, plan.options(), plan.aligned_rows(), A, x,
                                Impl::CsrRows<Scalar>{A.row_offsets.data(), y.data(), alpha, beta,
                                                      A.num_rows, false, 0, 0});
    return;
  }
  if (plan.num_tiles() == 0) return;
  if (variant == SpmvVariant::merge_atomic) {
    Impl::launch_spmv_merge_atomic(exec, Impl::MergeSections<Scalar>(A, x, plan), alpha, beta, y);
    return;
  }
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    if (plan.tiles_are_whole_rows()) {
      Kokkos::parallel_for(
          "Tomokkos::spmv::csr::merge_path",
          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(exec, 0, plan.num_tiles()),
          Impl::SpmvRowTiles<Scalar>{Impl::CsrStreams<Scalar>(A, x),
                                     Impl::CsrRows<Scalar>{A.row_offsets.data(), y.data(), alpha,
                                                           beta, A.num_rows, false, 0, 0},
                                     plan.tile_rows().data()});
      return;
    }
  }
  const Impl::MergePathData<Scalar, MemorySpace> data{Impl::CsrStreams<Scalar>(A, x),
                                                      A.row_offsets.data(),
                                                      plan.tile_rows().data(),
                                                      plan.carries().data(),
                                                      y.data(),
                                                      alpha,
                                                      beta,
                                                      A.num_rows,
                                                      plan.options().items_per_tile,
                                                      plan.num_tiles()};
  if constexpr (!Impl::is_host_space<ExecutionSpace>) {
    if (plan.options().vector_length == 1) {
      Impl::launch_spmv_merge_products(exec, data);
      return;
    }
  }
  Impl::launch_spmv_merge_path(exec, plan.options(), plan.share_long_rows(), data);
}

template <class ExecutionSpace, class Scalar>
void spmv_transpose_sections(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Coefficient<Scalar> alpha,
    const InputVector<ExecutionSpace, Scalar>& x, Coefficient<Scalar> beta,
    const OutputVector<ExecutionSpace, Scalar>& y) {
  require(plan.options().variant == SpmvVariant::merge_atomic, [&] {
    return Impl::text(
        "this plan has the variant {}, but the product by sections requires merge_atomic",
        to_string(plan.options().variant));
  });
  Impl::require_plan_of(plan, A);
  Impl::require_operands(Impl::Operand("x", x, "rows of A", A.num_rows),
                         Impl::Operand("y", y, "columns of A", A.num_cols));
  Impl::launch_spmv_transpose_sections(exec, Impl::MergeSections<Scalar>(A, x, plan), alpha, beta,
                                       y);
}

namespace Impl {

/// Returns the launch parameters of the product with a dot. For `scalar`, threads with one row each
/// form teams.
inline SpmvOptions dot_options(const SpmvOptions& options) {
  SpmvOptions chosen = options;
  if (options.variant != SpmvVariant::scalar) return chosen;
  chosen.team_size = chosen.rows_per_team = spmv_dot_threads;
  chosen.vector_length = 1;
  return chosen;
}

/// Returns the number of warps of a GPU team whose threads store rows.
inline int dot_sums_per_team(const SpmvOptions& options) {
  const int keeping = options.variant == SpmvVariant::staged
                          ? options.rows_per_team
                          : options.team_size * std::max(1, options.vector_length);
  return (keeping + warp_lanes - 1) / warp_lanes;
}

inline bool shares_rows_by_entries(const SpmvOptions& options) {
  return (options.variant == SpmvVariant::team_vector ||
          options.variant == SpmvVariant::crs_vector) &&
         options.entries_per_load == 1;
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
Offset spmv_dot_sums(
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>&
        plan) {
  const SpmvOptions& options = plan.options();
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    return options.variant == SpmvVariant::merge_path && plan.tiles_are_whole_rows()
               ? plan.num_tiles()
               : 0;
  } else {
    const int threads = options.team_size * std::max(1, options.vector_length);
    const bool has_dot =
        options.variant == SpmvVariant::scalar ||
        ((options.variant == SpmvVariant::staged || Impl::shares_rows_by_entries(options)) &&
         threads % Impl::warp_lanes == 0);
    if (!has_dot) return 0;
    const SpmvOptions chosen = Impl::dot_options(options);
    return Offset{Impl::spmv_league(chosen, plan.statistics().rows)} *
           Impl::dot_sums_per_team(chosen);
  }
}

template <class ExecutionSpace, class Scalar>
void spmv_dot(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const InputVector<ExecutionSpace, Scalar>& x, const OutputVector<ExecutionSpace, Scalar>& y,
    const OutputVector<ExecutionSpace, double>& sums) {
  Impl::require_plan_of(plan, A);
  require_equal("rows of A", A.num_rows, "the columns of A", A.num_cols);
  Impl::require_operands(Impl::Operand("x", x, "columns of A", A.num_cols),
                         Impl::Operand("y", y, "rows of A", A.num_rows));
  const Offset count = spmv_dot_sums<ExecutionSpace, Scalar>(plan);
  require(count > 0 || A.num_rows == 0,
          "the variant of this plan cannot form a product together with a dot product");
  require_equal("number of sums", static_cast<long long>(sums.extent(0)),
                "the number of sums of the plan", static_cast<long long>(count));
  if (A.num_rows == 0) return;
  const Impl::CsrStreams<Scalar> streams(A, x);
  const SpmvOptions options = Impl::dot_options(plan.options());
  const Impl::CsrRowsWithDot<Scalar> rows{
      A.row_offsets.data(), y.data(),   x.data(),
      sums.data(),          A.num_rows, Impl::dot_sums_per_team(options)};
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for(
        "Tomokkos::spmv::csr::dot",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(exec, 0, count),
        Impl::SpmvRowTilesWithDot<Scalar>{streams, rows, plan.tile_rows().data()});
  } else {
    if (options.variant == SpmvVariant::staged) {
      Impl::launch_spmv_staged(exec, options, streams, rows);
    } else if (options.variant == SpmvVariant::scalar) {
      Impl::launch_spmv_scalar(exec, streams, rows);
    } else {
      Impl::launch_spmv_lanes<32>(exec, options, streams, rows);
    }
  }
}

template <class ExecutionSpace, class Scalar>
void spmv_rows(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows,
    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y) {
  Impl::require_plan_of(plan, A);
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  const Ordinal count = range.size(A.num_rows);
  Impl::require_operands(Impl::Operand("x", x, "columns of A", A.num_cols),
                         Impl::Operand("y", y, Impl::rows_in(range, A.num_rows), count));
  if (count == 0) return;
  if constexpr (!Impl::is_host_space<ExecutionSpace>) {
    if (plan.options().variant == SpmvVariant::staged) {
      Impl::launch_spmv_staged(exec, plan.options(), Impl::CsrStreams<Scalar>(A, x),
                               Impl::CsrRows<Scalar>{A.row_offsets.data() + range.begin, y.data(),
                                                     alpha, beta, count, false, 0, 0});
      return;
    }
  }
  Impl::launch_spmv_by_rows(exec, plan.row_options(), Impl::CsrStreams<Scalar>(A, x),
                            Impl::CsrRows<Scalar>{A.row_offsets.data() + range.begin, y.data(),
                                                  alpha, beta, count, false, 0, 0});
}

template <class ExecutionSpace, class Scalar>
void spmv_columns(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange columns,
    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y) {
  Impl::require_plan_of(plan, A);
  const RowRange range = Impl::checked_range(columns, A.num_cols, "columns");
  Impl::require_operands(
      Impl::Operand("x", x, Impl::columns_in(range, A.num_cols), range.size(A.num_cols)),
      Impl::Operand("y", y, "rows of A", A.num_rows));
  if (A.num_rows == 0) return;
  Impl::launch_spmv_by_rows(exec, plan.row_options(), Impl::CsrStreams<Scalar>(A, x, range.begin),
                            Impl::CsrRows<Scalar>{A.row_offsets.data(), y.data(), alpha, beta,
                                                  A.num_rows, true, range.begin, range.end});
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                         \
  template class SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>;           \
  template void spmv<SPACE, SCALAR>(                                                \
      const SPACE&, const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&, \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, SCALAR,                        \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                 \
      const VectorView<SCALAR, SPACE::memory_space>&);                              \
  template void spmv_transpose_sections<SPACE, SCALAR>(                             \
      const SPACE&, const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&, \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, SCALAR,                        \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                 \
      const VectorView<SCALAR, SPACE::memory_space>&);                              \
  template Offset spmv_dot_sums<SPACE, SCALAR>(                                     \
      const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&);              \
  template void spmv_dot<SPACE, SCALAR>(                                            \
      const SPACE&, const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&, \
      const CsrMatrix<SCALAR, SPACE::memory_space>&,                                \
      const VectorView<const SCALAR, SPACE::memory_space>&,                         \
      const VectorView<SCALAR, SPACE::memory_space>&,                               \
      const VectorView<double, SPACE::memory_space>&);                              \
  template void spmv_rows<SPACE, SCALAR>(                                           \
      const SPACE&, const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&, \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,              \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                 \
      const VectorView<SCALAR, SPACE::memory_space>&);                              \
  template void spmv_columns<SPACE, SCALAR>(                                        \
      const SPACE&, const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&, \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,              \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                 \
      const VectorView<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
