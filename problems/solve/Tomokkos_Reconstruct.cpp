// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FillMissing.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Reconstruct.hpp>
#include <Tomokkos_SolveSlices.hpp>
#include <utility>

namespace Tomokkos {
namespace {

/// Needs of a solver with \p params for \p rows rows, in views of \p view_rows.
SolverNeeds needs_of(const SolverParams& params, Ordinal rows, Ordinal view_rows) {
  int subsets = 1;
  std::optional<Ordinal> block_rows;
  std::visit(
      [&](const auto& own) {
        if constexpr (requires { own.subsets.value_or(1); })
          subsets = own.subsets.value_or(static_cast<int>(rows / view_rows));
        else if constexpr (requires { own.subsets; })
          subsets = own.subsets;
        else if constexpr (requires { own.block_rows; })
          if (own.block_rows > 0) block_rows = own.block_rows;
      },
      params);
  SolverNeeds needs = needs_of(kind_of(params), subsets);
  needs.block_rows = block_rows;
  return needs;
}

/// True if NaN in the data marks rays without a measurement.
bool takes_gaps(const SolverParams& params) {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.nan_data; }) return own.nan_data == NanData::missing;
        return false;
      },
      params);
}

/// Repeats \p values for each of \p slices, if they belong to a single slice.
std::vector<double> for_each_slice(std::vector<double> values, std::size_t length, Ordinal slices,
                                   const char* name) {
  const auto all = static_cast<std::size_t>(slices) * length;
  if (values.size() != length)
    require_equal(name, static_cast<long long>(values.size()), "pixels of the slices",
                  static_cast<long long>(all));
  values.reserve(all);
  for (std::size_t i = values.size(); i < all; ++i) values.push_back(values[i - length]);
  return values;
}

Ordinal slices_of(const RowSource& source, const ReconstructOptions& options,
                  const std::vector<double>& data) {
  const std::int64_t rows = num_rows(source);
  const auto count = static_cast<std::int64_t>(data.size());
  if (rows == 0 || count == 0 || count % rows != 0)
    throw DimensionMismatch("the data hold " + std::to_string(count) + " values; expected " +
                            std::to_string(rows) + " for each slice");
  for (const auto& [name, terms] :
       {std::pair{"multiplicative", &options.multiplicative}, {"background", &options.background}})
    if (!terms->empty()) require_equal(name, static_cast<long long>(terms->size()), "rays", rows);
  return static_cast<Ordinal>(count / rows);
}

}  // namespace

template <class ExecutionSpace, class Scalar>
Reconstructed<Scalar> reconstruct(const ExecutionSpace& exec, const RowSource& source,
                                  const std::vector<double>& data, SolverParams params,
                                  ReconstructOptions options,
                                  const Monitor<ExecutionSpace, Scalar>& monitor) {
  const bool filters = kind_of(params) == SolverKind::fbp;
  require(!filters || std::holds_alternative<ScanRows>(source),
          "filtered back projection needs the scan of a parallel or fan beam");
  const Ordinal slices = slices_of(source, options, data);
  SystemTask task = task_of_rows(source, options.wish);
  if (filters) task.wish.set_format("computed");
  task.needs = needs_of(params, static_cast<Ordinal>(num_rows(source)), task.view_rows);
  task.needs.vectors = slices;
  task.needs.deterministic = options.deterministic;
  PlanFacts facts;
  facts.parts.overflow = options.overflow;
  facts.keeps_bits = options.deterministic || options.resumed;
  const auto made = build_planned<ExecutionSpace, Scalar>(exec, task, std::move(facts));
  task.wish = made.way->wish;
  std::vector<double> filled;
  if (filters) {
    filled = data;
    fill_missing(std::get<ScanRows>(source).scan, {}, filled);
  }
  SliceData<Scalar> slab;
  slab.slices = slices;
  slab.values = filters ? filled : data;
  slab.has_gaps = takes_gaps(params);
  slab.multiplicative = std::move(options.multiplicative);
  slab.background = std::move(options.background);
  slab.resumed = std::move(options.resumed);
  slab.start.uniform = options.start.empty() && kind_of(params) == SolverKind::mlem;
  if (!options.start.empty())
    slab.start.images = for_each_slice(
        std::move(options.start), static_cast<std::size_t>(made.A.num_cols()), slices, "the start");
  Reconstructed<Scalar> result;
  SlicesHandler<ExecutionSpace, Scalar> observer;
  observer.monitor = monitor;
  observer.take = [&](const SolveOutcome&, const auto& x, auto& images) {
    result.images = images.on_host(exec, x);
    return true;
  };
  SolveOutcome outcome;
  solve_slices<ExecutionSpace, Scalar>(exec, task, made,
                                       {std::move(params), options.view_order, options.seed},
                                       slabs_of(std::move(slab), slices), {&observer}, outcome);
  result.results = std::move(outcome.results);
  result.matrix = made.report;
  result.way = *made.way;
  return result;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                     \
  template Reconstructed<SCALAR> reconstruct<SPACE, SCALAR>(                    \
      const SPACE&, const RowSource&, const std::vector<double>&, SolverParams, \
      ReconstructOptions, const Monitor<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
