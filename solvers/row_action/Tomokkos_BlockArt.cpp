// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockArt.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <algorithm>
#include <impl/Tomokkos_MeasuredResidual.hpp>
#include <impl/Tomokkos_RangeOfSquares.hpp>
#include <impl/Tomokkos_RankReduce.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <impl/Tomokkos_SliceKernels.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <impl/Tomokkos_SubsetLoop.hpp>

namespace Tomokkos {

Description description_of(const BlockArtFigures& figures, const SolveResult& /*result*/) {
  return Description::map()
      .set("excluded_rows", figures.excluded_rows)
      .set("blocks", figures.blocks);
}

namespace Impl {

/// Computes `weight = 1 / |a_i|^2`, 0 for a row without entries or with a tiny norm, and counts
/// such rows. In double, because squares may overflow or underflow in float.
template <class MemorySpace>
struct BlockArtRowWeight {
  VectorView<const double, MemorySpace> squared_norms;
  VectorView<double, MemorySpace> weight;
  double bound;  // largest squared norm of a row that is left out
  KOKKOS_FUNCTION void operator()(const Offset i, Ordinal& skipped) const {
    const bool used = squared_norms(i) > bound;
    weight(i) = used ? 1 / squared_norms(i) : 0.0;
    if (!used) ++skipped;
  }
};

/// Computes `weight = 1 / s_j`, 0 for a column without entries.
template <class Scalar, class MemorySpace>
struct BlockArtColWeight {
  VectorView<const Ordinal, MemorySpace> counts;
  VectorView<Scalar, MemorySpace> weight;
  KOKKOS_FUNCTION void operator()(const Offset j) const {
    weight(j) = counts(j) > 0 ? static_cast<Scalar>(1.0 / counts(j)) : Scalar(0);
  }
};

/// Computes `projection = (b - projection) / |a_i|^2`.
template <class Scalar, class MemorySpace>
struct BlockArtResidual {
  VectorView<const Scalar, MemorySpace> b;
  VectorView<const double, MemorySpace> weight;
  VectorView<Scalar, MemorySpace> projection;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const double residual = static_cast<double>(b(i)) - static_cast<double>(projection(i));
    projection(i) = static_cast<Scalar>(residual * weight(i));
  }
};

/// Computes `x = clamp(x + relaxation back / s_j)`.
template <class Scalar, class MemorySpace>
struct BlockArtUpdate {
  VectorView<const Scalar, MemorySpace> back, weight;
  VectorView<Scalar, MemorySpace> x;
  Scalar relaxation, minimum, maximum;
  KOKKOS_FUNCTION void operator()(const Offset j) const {
    Scalar after = multiply_add(relaxation * weight(j), back(j), x(j));
    // A NaN fails both comparisons and stays visible.
    if (after < minimum) after = minimum;
    if (after > maximum) after = maximum;
    x(j) = after;
  }
};

}  // namespace Impl

namespace {

/// Blocks of \p num_rows rows.
RowSubsets blocks_of(const BlockArtParams& params, Ordinal num_rows) {
  const auto count = params.block_begins.empty()
                         ? std::max(1, (num_rows - 1) / params.block_rows + 1)
                         : static_cast<int>(params.block_begins.size());
  return {num_rows, count, params.block_rows, params.block_begins};
}

}  // namespace

BlockArtParams validated(const BlockArtParams& params) {
  require_loop_params(params.sweeps, params.check_every, params.stop);
  require(params.block_rows >= 1, "the number of rows per block is " +
                                      std::to_string(params.block_rows) +
                                      "; it must be at least 1");
  require_relaxation(params.relaxation);
  require_relaxation_decay(params.relaxation_decay);
  require_box(params.minimum, params.maximum);
  require_smallest_norm(params.smallest_norm);
  return params;
}

template <class ExecutionSpace, class Scalar>
BlockArt<ExecutionSpace, Scalar>::BlockArt(const ExecutionSpace& exec, Ordinal num_rows,
                                           Ordinal num_cols, const BlockArtParams& params)
    : params_(validated(params)),
      blocks_(blocks_of(params_, num_rows)),
      projection_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BlockArt::projection", num_rows)),
      row_weight_(
          allocate<Vector<double, memory_space>>(exec, "Tomokkos::BlockArt::row_weight", num_rows)),
      back_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BlockArt::back", num_cols)),
      col_weight_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BlockArt::col_weight", num_cols)),
      previous_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::BlockArt::previous", num_cols)),
      sums_(allocate<Vector<double, memory_space>>(exec, "Tomokkos::BlockArt::sums", 1)),
      active_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::BlockArt::active", 1)),
      reduction_(exec),
      log_(exec, params.sweeps) {}

template <class ExecutionSpace, class Scalar>
std::size_t BlockArt<ExecutionSpace, Scalar>::workspace_bytes() const {
  return (projection_.extent(0) + 3 * previous_.extent(0)) * sizeof(Scalar) +
         (row_weight_.extent(0) + sums_.extent(0) + reduction_.partial().extent(0)) *
             sizeof(double) +
         active_.extent(0) * sizeof(int) + log_.bytes();
}

/// Returns the number of rows that are skipped.
template <class ExecutionSpace, class Scalar>
Ordinal BlockArt<ExecutionSpace, Scalar>::compute_weights(const ExecutionSpace& exec,
                                                          const OperatorType& A) {
  const auto& access = *A.capabilities().rows;
  const auto norms = access.squared_norms(exec);
  const Ranks* const ranks = Impl::hosts_of(ranks_.rows);
  const auto counts = access.largest_block_counts(exec, blocks_, ranks);
  const double most =
      Impl::require_row_norms(exec, VectorView<const double, memory_space>(norms), ranks);
  Ordinal skipped = 0;
  Kokkos::parallel_reduce(
      "Tomokkos::block_art::row_weight", Impl::element_range(exec, row_weight_.extent(0)),
      Impl::BlockArtRowWeight<memory_space>{norms, row_weight_,
                                            params_.smallest_norm * params_.smallest_norm * most},
      skipped);
  Kokkos::parallel_for("Tomokkos::block_art::col_weight",
                       Impl::element_range(exec, col_weight_.extent(0)),
                       Impl::BlockArtColWeight<Scalar, memory_space>{counts, col_weight_});
  Impl::fence(exec, "BlockArt: the weights must be complete before their inputs are freed");
  return static_cast<Ordinal>(ranks != nullptr ? ranks->sum_of(skipped) : skipped);
}

template <class ExecutionSpace, class Scalar>
void BlockArt<ExecutionSpace, Scalar>::visit(const ExecutionSpace& exec, const OperatorType& A,
                                             const ConstVectorType& b, const VectorType& x,
                                             int block, double relaxation) {
  // An operator without ranges still accepts a block of all rows.
  const RowRange range = blocks_[block];
  const RowRange rows = range.resolved(A.num_rows());
  const VectorType projection = Impl::rows_of(projection_, rows, 1);
  A.apply(exec, Scalar(1), as_multivector(ConstVectorType(x)), Scalar(0),
          as_multivector(projection), range);
  Kokkos::parallel_for(
      "Tomokkos::block_art::residual", Impl::element_range(exec, projection.extent(0)),
      Impl::BlockArtResidual<Scalar, memory_space>{
          Impl::rows_of(b, rows, 1), Impl::rows_of(row_weight_, rows, 1), projection});
  A.apply_transpose(exec, Scalar(1), as_multivector(ConstVectorType(projection)), Scalar(0),
                    as_multivector(back_), range);
  Kokkos::parallel_for(
      "Tomokkos::block_art::update", Impl::element_range(exec, x.extent(0)),
      Impl::BlockArtUpdate<Scalar, memory_space>{
          back_, col_weight_, x, static_cast<Scalar>(relaxation),
          static_cast<Scalar>(params_.minimum), static_cast<Scalar>(params_.maximum)});
}

template <class ExecutionSpace, class Scalar>
SolveResult BlockArt<ExecutionSpace, Scalar>::solve_column(
    const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
    const VectorType& x, const Monitor<ExecutionSpace, Scalar>& monitor) {
  const Impl::ScopedRegion region("Tomokkos::BlockArt::solve");
  const auto num_rows = static_cast<Ordinal>(projection_.extent(0));
  ranks_ = Impl::vector_ranks(A);
  on_all_ranks(Impl::hosts_of(ranks_.any()), [&] {
    require_shapes(A.num_rows(), A.num_cols(), num_rows, static_cast<Ordinal>(previous_.extent(0)),
                   b.extent(0), x.extent(0));
    require_apart("the data", b, "the image", x);
    require_entries<ExecutionSpace, Scalar>(exec, "the data", b);
    require(blocks_.count() == 1 || A.supports_ranges(),
            "block ART needs an operator whose products can be restricted to a range of rows");
    require(A.capabilities().rows != nullptr,
            "this operator does not provide the norms of its rows; a CSR matrix does");
  });
  if (const Ranks* const ranks = Impl::hosts_of(ranks_.any()))
    require(ranks->max_of(blocks_.count()) == -ranks->max_of(-blocks_.count()),
            "the ranks divide their rows into different numbers of blocks; give block_begins with "
            "as many blocks on every rank");
  const std::vector<char> visited = Impl::visited_subsets(ranks_.rows, blocks_, num_rows);
  A.reserve(exec, 1);
  A.reserve_transpose(exec);
  const Ordinal skipped_rows = compute_weights(exec, A);
  dot<ExecutionSpace, Scalar>(exec, reduction_, b, b, sums_);
  Impl::add_up(exec, ranks_.rows, VectorView<double, memory_space>(sums_));
  const double rhs_norm = std::sqrt(to_host<ExecutionSpace>(exec, sums_));
  Impl::require_squares<ExecutionSpace, Scalar>(exec, as_multivector(b), {rhs_norm},
                                                Impl::hosts_of(ranks_.rows));
  Impl::SolveLoop<ExecutionSpace, Scalar> loop(exec, log_, active_, Impl::Objective::none,
                                               params_.sweeps, params_.check_every, params_.stop,
                                               monitor, {rhs_norm}, resumed_);
  if (const auto* const ranks = ranks_.any())
    loop.set_ranks(
        Impl::RecordRanks{&ranks->ranks()}
            .set_distributed(Impl::RecordField::residual_squared, ranks_.rows != nullptr)
            .set_distributed(Impl::RecordField::change_squared, ranks_.columns != nullptr)
            .set_distributed(Impl::RecordField::norm_squared, ranks_.columns != nullptr));
  if (!params_.record_residual) loop.measure_residuals_at_checks_only();
  loop.result(0).set_figures(BlockArtFigures{
      skipped_rows, static_cast<Ordinal>(std::count(visited.begin(), visited.end(), char{1}))});

  // Memory traffic per sweep: A and A^T once; 4 m values for the residuals; per block 5 n values:
  // back, weight and x read, x written, back written by the product; x copied and compared: 4 n.
  for (int k = loop.first();; ++k) {
    if (params_.record_residual || loop.measures(k))
      Impl::measure_residual<ExecutionSpace, Scalar>(exec, A, b, x, projection_, reduction_, log_,
                                                     k);
    if (loop.check_iterate(exec, k, as_multivector(ConstVectorType(x))))
      return std::move(loop.result(0));
    Kokkos::deep_copy(exec, previous_, x);
    const double relaxation = params_.relaxation / (1 + params_.relaxation_decay * k);
    for (int block = 0; block < blocks_.count(); ++block)
      if (visited[static_cast<std::size_t>(block)] != 0) visit(exec, A, b, x, block, relaxation);
    reduce_columns_to_device<2>(exec, "Tomokkos::block_art::change",
                                static_cast<Offset>(x.extent(0)), Offset{1},
                                Impl::SubsetChange<Scalar, memory_space>{x, previous_}, reduction_,
                                log_.slot(k + 1, Impl::RecordField::change_squared), log_.stride);
  }
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class BlockArt<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
