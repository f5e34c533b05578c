// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Sart.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_SolveSlices.hpp>
#include <Tomokkos_VisitOrder.hpp>
#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

namespace Tomokkos {

template <class Scalar>
SliceSource<Scalar> slabs_of(SliceData<Scalar> all, Ordinal size, Ordinal first) {
  return [all = std::move(all), size, first]() mutable -> std::optional<SliceData<Scalar>> {
    if (first >= all.slices) return std::nullopt;
    const auto count = static_cast<std::size_t>(all.slices);
    const auto own = static_cast<std::size_t>(std::min(size, all.slices - first));
    const auto part = [&](auto values) {
      const std::size_t length = values.size() / count;
      return values.subspan(static_cast<std::size_t>(first) * length, own * length);
    };
    SliceData<Scalar> slab = all;
    slab.slices = static_cast<Ordinal>(own);
    slab.values = part(all.values);
    const std::span<const double> start = part(std::span<const double>(all.start.images));
    slab.start.images.assign(start.begin(), start.end());
    first += slab.slices;
    return slab;
  };
}

template <class ExecutionSpace, class Scalar>
std::vector<Scalar> SliceImages<ExecutionSpace, Scalar>::on_host(const ExecutionSpace& exec,
                                                                 const ConstColumns& x) const {
  std::vector<Scalar> images = Slices<ExecutionSpace, Scalar>::to_host(
      exec, as_vector(x), static_cast<Ordinal>(x.extent(1)), system_.order.columns);
  // Each rank holds only its own pixels.
  if (system_.image_is_split) ranks_.sum(images);
  keep_start(images);
  return images;
}

template <class ExecutionSpace, class Scalar>
void SliceImages<ExecutionSpace, Scalar>::keep_start(std::span<Scalar> images) const {
  for (std::size_t i = 0; i < std::min(start_.size(), images.size()); ++i)
    if (mask_[i % mask_.size()] == 0) images[i] = start_[i];
}

namespace {

/// Arrays and parameters that depend on the system alone.
template <class ExecutionSpace, class Scalar>
class SliceLoop {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Map = std::optional<IndexMap<memory_space>>;
  using VectorType = Vector<Scalar, memory_space>;

  SliceLoop(const ExecutionSpace& exec, const SystemTask& task,
            const BuiltSystem<ExecutionSpace, Scalar>& system, const SlicesSettings& settings,
            const RankGroup& ranks)
      : exec_(exec), task_(task), system_(system), settings_(settings), ranks_(ranks) {
    if (task.needs.rows && !task.needs.blocks)
      row_order_ = rows_by_visit(exec, task.visits, system.order);
    if (is_sart(kind_of(settings.params)))
      subset_order_ = subset_visits(task.needs.subsets, settings.view_order, settings.seed,
                                    task.wish.ordering.rows);
    set_rows();
    if (system.order.rows && needs_whiteness(settings_.params)) {
      const auto natural =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), system.order.rows->to_natural);
      natural_.assign(natural.data(), natural.data() + natural.extent(0));
    }
  }

  /// Solves \p data. Returns false if an observer ends the reconstruction.
  bool solve_slab(const SliceData<Scalar>& data,
                  const std::vector<SlicesObserver<ExecutionSpace, Scalar>*>& observers,
                  SolveOutcome& outcome) {
    VectorType b, multiplicative, additive, x;
    std::vector<Scalar> masked_start;
    const NanData nan_data = data.has_gaps ? NanData::missing : NanData::refused;
    ranks_.together([&] {
      b = to_solver("Tomokkos::solve_slices::b", data.values, data.slices, system_.order.rows,
                    data.columns,
                    {.name = "the data", .minimum = least_datum(), .nan_data = nan_data});
      if (!data.multiplicative.empty())
        multiplicative = to_solver("Tomokkos::solve_slices::multiplicative", data.multiplicative, 1,
                                   system_.order.rows);
      if (!data.background.empty())
        additive =
            to_solver("Tomokkos::solve_slices::background", data.background, 1, system_.order.rows);
    });
    SolveRequest<ExecutionSpace, Scalar> request;
    request.input = {{multiplicative, additive}, row_order_, subset_order_};
    if (data.start.images.empty()) {
      x = allocate<VectorType>(
          exec_, "Tomokkos::solve_slices::x",
          static_cast<std::size_t>(system_.A.num_cols()) * static_cast<std::size_t>(data.slices));
      if (data.start.uniform)
        uniform_start(exec_, system_.A, columns_of<Scalar, memory_space>(b, data.slices),
                      columns_of<Scalar, memory_space>(x, data.slices), request.input.terms);
      else
        Kokkos::deep_copy(exec_, x, static_cast<Scalar>(data.start.constant));
    } else {
      ranks_.together([&] {
        if (!task_.masks.columns.empty())
          masked_start.assign(data.start.images.begin(), data.start.images.end());
        x = to_solver("Tomokkos::solve_slices::x", data.start.images, data.slices,
                      system_.order.columns, {}, {.name = data.start.checked_as});
      });
    }
    request.params = params_for(data, nan_data);
    request.resumed = data.resumed;
    SliceImages<ExecutionSpace, Scalar> images(system_, ranks_, task_.masks.columns,
                                               std::move(masked_start));
    SolveObservers<ExecutionSpace, Scalar> of_solve(observers.begin(), observers.end());
    for (auto* observer : observers) observer->slices_begin(data, images);
    const auto X = columns_of<Scalar, memory_space>(x, data.slices);
    solve<ExecutionSpace, Scalar>(exec_, system_.A,
                                  columns_of<const Scalar, memory_space>(
                                      VectorView<const Scalar, memory_space>(b), data.slices),
                                  X, std::move(request), of_solve, outcome);
    bool continues = true;
    for (auto* observer : observers) continues &= observer->slices_end(outcome, X, images);
    return continues;
  }

 private:
  static bool needs_whiteness(const SolverParams& params) {
    return std::visit(
        [](const auto& own) { return !own.stop.rule_needing(Measurement::whiteness).empty(); },
        params);
  }

  double least_datum() const {
    return kind_of(settings_.params) == SolverKind::mlem ? 0
                                                         : -std::numeric_limits<double>::infinity();
  }

  /// Tells the solver the rows of its views, subsets and blocks.
  void set_rows() {
    const bool cuts_blocks = task_.needs.blocks;
    SubsetDivision cut{1, {}};
    if (system_.subsets)
      cut.begins = system_.subset_begins;
    else
      cut = subsets_of(task_);
    std::visit(
        [&](auto& own) {
          if constexpr (requires { own.subset_unit; }) own.subset_unit = cut.unit;
          if constexpr (requires { own.view_rows; }) own.view_rows = cut.unit;
          if constexpr (std::is_base_of_v<SartParams, std::decay_t<decltype(own)>>)
            own.subsets = task_.needs.subsets;
          if constexpr (requires { own.subset_begins; })
            if (!cuts_blocks) own.subset_begins = cut.begins;
          if constexpr (requires { own.block_rows; })
            own.block_rows = task_.needs.block_rows.value_or(own.block_rows);
          if constexpr (requires { own.block_begins; })
            if (cuts_blocks && system_.subsets) own.block_begins = cut.begins;
        },
        settings_.params);
  }

  /// Parameters with what follows from the data.
  SolverParams params_for(const SliceData<Scalar>& data, NanData nan_data) const {
    StopData facts = data.facts;
    if (facts.counted_rays.empty())
      facts.counted_rays = counted_rays(data.values, data.slices, task_.masks.rows);
    if (facts.view_length == 0 && task_.view_rows > 1) facts.view_length = task_.view_rows;
    if (!natural_.empty()) {
      facts.natural = natural_;
      facts.natural_size = system_.order.rows->natural_size();
    }
    SolverParams params = settings_.params;
    std::visit(
        [&](auto& own) {
          StopRules::for_active(own.stop, [&](auto& rule) { rule.complete(facts); });
          if constexpr (requires { own.nan_data; })
            if (nan_data == NanData::missing) own.nan_data = nan_data;
        },
        params);
    return params;
  }

  /// Converts natural \p values to a vector of the solver. A vector that changes its order is
  /// checked before, so that messages use natural indices; others the solver checks. The complete
  /// vector may not fit on a device, so with several ranks the host maps it.
  VectorType to_solver(const char* label, std::span<const double> values, Ordinal slices,
                       const Map& map, std::span<const Scalar> columns = {},
                       const EntryCheck& check = {}) const {
    using Conversion = Slices<ExecutionSpace, Scalar>;
    const bool by_host = ranks_.size() > 1;
    try {
      if (columns.empty() || (map && by_host))
        return Conversion::to_device(exec_, label, values, slices, map, by_host, check);
      return Conversion::in_order(exec_, label, Conversion::copied(exec_, label, columns), slices,
                                  map, check);
    } catch (const Refused& error) {
      throw InputError(std::string(to_string(kind_of(settings_.params))) + ": " + error.what());
    }
  }

  ExecutionSpace exec_;
  const SystemTask& task_;
  const BuiltSystem<ExecutionSpace, Scalar>& system_;
  SlicesSettings settings_;
  const RankGroup& ranks_;
  Kokkos::View<const Ordinal*, memory_space> row_order_;
  std::vector<Ordinal> subset_order_;
  std::vector<Ordinal> natural_;  // natural numbers of the rows, for rules that need them
};

}  // namespace

template <class ExecutionSpace, class Scalar>
void solve_slices(const ExecutionSpace& exec, const SystemTask& task,
                  const BuiltSystem<ExecutionSpace, Scalar>& system, const SlicesSettings& settings,
                  const SliceSource<Scalar>& source,
                  const std::vector<SlicesObserver<ExecutionSpace, Scalar>*>& observers,
                  SolveOutcome& outcome, const RankGroup& ranks) {
  SliceLoop<ExecutionSpace, Scalar> loop(exec, task, system, settings, ranks);
  while (const std::optional<SliceData<Scalar>> data = source())
    if (!loop.solve_slab(*data, observers, outcome)) return;
}

#define TOMOKKOS_INSTANTIATE(SCALAR) \
  template SliceSource<SCALAR> slabs_of<SCALAR>(SliceData<SCALAR>, Ordinal, Ordinal);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  template class SliceImages<SPACE, SCALAR>;                                                     \
  template void solve_slices<SPACE, SCALAR>(                                                     \
      const SPACE&, const SystemTask&, const BuiltSystem<SPACE, SCALAR>&, const SlicesSettings&, \
      const SliceSource<SCALAR>&, const std::vector<SlicesObserver<SPACE, SCALAR>*>&,            \
      SolveOutcome&, const RankGroup&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
