// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Art.hpp>
#include <Tomokkos_PlainProducts.hpp>
#include <algorithm>
#include <impl/Tomokkos_MeasuredResidual.hpp>
#include <impl/Tomokkos_RangeOfSquares.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <numeric>

namespace Tomokkos {

Description description_of(const ArtFigures& figures, const SolveResult& /*result*/) {
  return Description::map()
      .set("excluded_rows", figures.excluded_rows)
      .set("levels", Description::map(true)
                         .set("count", figures.levels)
                         .set("mean_width", figures.mean_width)
                         .set("largest_width", figures.largest_width));
}

namespace Impl {

/// Sums: squared change, squared norm.
template <class Scalar, class MemorySpace>
struct ChangeAndNorm {
  VectorView<const Scalar, MemorySpace> before, after;
  KOKKOS_FUNCTION Sums<2> operator()(const Offset j) const {
    const double value = static_cast<double>(after(j));
    const double change = value - static_cast<double>(before(j));
    return {change * change, value * value};
  }
};

/// Finds the first entry of an order that is not a row.
template <class MemorySpace>
struct FirstBadRow {
  VectorView<const Ordinal, MemorySpace> order;
  Ordinal num_rows;
  KOKKOS_FUNCTION void operator()(const Offset i, Offset& first) const {
    if ((order(i) < 0 || order(i) >= num_rows) && i < first) first = i;
  }
};

}  // namespace Impl

ArtParams validated(const ArtParams& params) {
  require_loop_params(params.sweeps, params.check_every, params.stop,
                      SolverOf<ArtParams>::measures_whiteness);
  require_relaxation(params.relaxation);
  require_relaxation_decay(params.relaxation_decay);
  require_box(params.minimum, params.maximum);
  require_smallest_norm(params.smallest_norm);
  return params;
}

void require_smallest_norm(double share) {
  require(share >= 0 && share < 1, "smallest_norm is " + std::to_string(share) +
                                       "; it is a fraction of the largest norm of a row, at least "
                                       "0 and less than 1");
}

template <class ExecutionSpace, class Scalar>
Art<ExecutionSpace, Scalar>::Art(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                                 const ArtParams& params)
    : params_(validated(params)),
      projection_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Art::projection", num_rows)),
      previous_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Art::previous", num_cols)),
      sums_(allocate<Vector<double, memory_space>>(exec, "Tomokkos::Art::sums", 1)),
      active_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::Art::active", 1)),
      reduction_(exec),
      log_(exec, params.sweeps),
      white_noise_(exec, params.stop.ncp, num_rows, 1) {}

template <class ExecutionSpace, class Scalar>
void Art<ExecutionSpace, Scalar>::set_order(const ExecutionSpace& exec,
                                            const VectorView<const Ordinal, memory_space>& order) {
  const Ordinal num_rows = static_cast<Ordinal>(projection_.extent(0));
  Offset first = std::numeric_limits<Offset>::max();
  Kokkos::parallel_reduce("Tomokkos::art::check_order", Impl::element_range(exec, order.extent(0)),
                          Impl::FirstBadRow<memory_space>{order, num_rows},
                          Kokkos::Min<Offset>(first));
  Impl::fence(exec, "Art: the check must be done");
  require(first >= static_cast<Offset>(order.extent(0)),
          "entry " + std::to_string(first) + " of the order of rows is not one of the " +
              std::to_string(num_rows) + " rows");
  order_ = order;
}

/// Returns the rows of the order that are visited; empty: all of them, because no row has a norm
/// between 0 and the bound. Rows without entries stay.
template <class ExecutionSpace, class Scalar>
std::optional<std::vector<Ordinal>> Art<ExecutionSpace, Scalar>::visits(
    const ExecutionSpace& exec, const RowAccess<ExecutionSpace, Scalar>& rows) const {
  if (params_.smallest_norm == 0) return {};
  std::vector<double> norms;
  try {
    norms = to_host_vector<ExecutionSpace>(exec, rows.squared_norms(exec));
  } catch (const Refused&) {
    return {};  // a user's operator without norms
  }
  const double most = norms.empty() ? 0 : *std::max_element(norms.begin(), norms.end());
  const double bound = params_.smallest_norm * params_.smallest_norm * most;
  const auto is_tiny = [&](double squared) { return squared > 0 && squared <= bound; };
  if (std::none_of(norms.begin(), norms.end(), is_tiny)) return {};
  std::vector<Ordinal> order(order_.extent(0));
  Kokkos::deep_copy(exec, VectorView<Ordinal, Kokkos::HostSpace>(order.data(), order.size()),
                    order_);
  Impl::fence(exec, "Art: the order must have arrived");
  if (order.empty()) {
    order.resize(norms.size());
    std::iota(order.begin(), order.end(), 0);
  }
  std::erase_if(order, [&](Ordinal row) { return is_tiny(norms[static_cast<std::size_t>(row)]); });
  return order;
}

template <class ExecutionSpace, class Scalar>
std::size_t Art<ExecutionSpace, Scalar>::workspace_bytes() const {
  return (projection_.extent(0) + previous_.extent(0)) * sizeof(Scalar) +
         (sums_.extent(0) + reduction_.partial().extent(0)) * sizeof(double) +
         active_.extent(0) * sizeof(int) + log_.bytes() + white_noise_.bytes();
}

template <class ExecutionSpace, class Scalar>
SolveResult Art<ExecutionSpace, Scalar>::solve_column(
    const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
    const VectorType& x, const Monitor<ExecutionSpace, Scalar>& monitor) {
  const Impl::ScopedRegion region("Tomokkos::Art::solve");
  Impl::require_whole(A, "ART");
  require_shapes(A.num_rows(), A.num_cols(), static_cast<Ordinal>(projection_.extent(0)),
                 static_cast<Ordinal>(previous_.extent(0)), b.extent(0), x.extent(0));
  require_apart("the data", b, "the image", x);
  require_entries<ExecutionSpace, Scalar>(exec, "the data", b);
  dot<ExecutionSpace, Scalar>(exec, reduction_, b, b, sums_);
  const double rhs_norm = std::sqrt(to_host<ExecutionSpace>(exec, sums_));
  Impl::require_squares<ExecutionSpace, Scalar>(exec, as_multivector(b), {rhs_norm});
  KaczmarzSweep<Scalar, memory_space> sweep;
  sweep.order = order_;
  sweep.minimum = static_cast<Scalar>(params_.minimum);
  sweep.maximum = static_cast<Scalar>(params_.maximum);
  const auto* const rows = A.capabilities().rows;
  const auto chosen = rows != nullptr ? visits(exec, *rows) : std::nullopt;
  Vector<Ordinal, memory_space> chosen_rows;
  Ordinal left_out = 0;
  if (chosen) {
    const std::size_t all = order_.extent(0) > 0 ? order_.extent(0) : projection_.extent(0);
    left_out = static_cast<Ordinal>(all - chosen->size());
    chosen_rows =
        allocate<Vector<Ordinal, memory_space>>(exec, "Tomokkos::Art::chosen_rows", chosen->size());
    Kokkos::deep_copy(exec, chosen_rows,
                      VectorView<const Ordinal, Kokkos::HostSpace>(chosen->data(), chosen->size()));
    Impl::fence(exec, "Art: the order must have left");
    sweep.order = chosen_rows;
  }
  Impl::SolveLoop<ExecutionSpace, Scalar> loop(exec, log_, active_, Impl::Objective::none,
                                               params_.sweeps, params_.check_every, params_.stop,
                                               monitor, {rhs_norm}, resumed_);
  if (!params_.record_residual) loop.measure_residuals_at_checks_only();
  const auto schedule = rows != nullptr ? rows->schedule(exec, sweep.order) : nullptr;
  if (schedule) {
    Impl::require_row_norms(exec, VectorView<const double, memory_space>(schedule->squared_norms));
    const KaczmarzLevels& levels = schedule->levels;
    loop.result(0).set_figures(ArtFigures{levels.empty_rows + left_out, levels.num_levels(),
                                          levels.mean_width(), levels.largest_width()});
  } else if (left_out > 0) {
    loop.result(0).set_figures(ArtFigures{left_out});
  }

  if (params_.stop.ncp)
    loop.set_probe([&](const ExecutionSpace& instance, std::vector<SolveResult>& results,
                       const std::vector<char>& going) {
      white_noise_.measure(instance, A, as_multivector(b), as_multivector(ConstVectorType(x)),
                           results, going);
    });

  // Memory traffic per sweep: the rows once; x copied (2 n) and compared (2 n); if the residual is
  // measured, a product and 2 m values.
  for (int k = loop.first();; ++k) {
    if (params_.record_residual || loop.measures(k))
      Impl::measure_residual<ExecutionSpace, Scalar>(exec, A, b, x, projection_, reduction_, log_,
                                                     k);
    if (loop.check_iterate(exec, k, as_multivector(ConstVectorType(x))))
      return std::move(loop.result(0));
    Kokkos::deep_copy(exec, previous_, x);
    sweep.relaxation = static_cast<Scalar>(params_.relaxation / (1 + params_.relaxation_decay * k));
    kaczmarz_sweep(exec, A, schedule.get(), sweep, b, x);
    reduce_to_device<2>(exec, "Tomokkos::art::change", static_cast<Offset>(x.extent(0)),
                        Impl::ChangeAndNorm<Scalar, memory_space>{previous_, x}, reduction_,
                        log_.slot(k + 1, Impl::RecordField::change_squared));
  }
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) template class Art<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
