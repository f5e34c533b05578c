// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BuildParts.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FillMissing.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Reconstruct.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_SubsetDivision.hpp>
#include <utility>

namespace Tomokkos {
namespace {

/// Needs of a solver with \p params for \p rows rows, in views of \p view_rows.
SolverNeeds needs_of(const SolverParams& params, Ordinal rows, Ordinal view_rows) {
  SolverNeeds needs = needs_of(kind_of(params));
  std::visit(
      [&](const auto& own) {
        if constexpr (requires { own.subsets.value_or(1); })
          needs.subsets = own.subsets.value_or(static_cast<int>(rows / view_rows));
        else if constexpr (requires { own.subsets; })
          needs.subsets = own.subsets;
        else if constexpr (requires { own.block_rows; })
          if (own.block_rows > 0) needs.block_rows = own.block_rows;
      },
      params);
  return needs;
}

/// Tells the solver the rows of its views and subsets: \p begins, or else the division \p cut.
void set_rows(const SubsetDivision& cut, const std::vector<Ordinal>& begins, SolverParams& params) {
  std::visit(
      [&](auto& own) {
        if constexpr (requires { own.subset_unit; }) own.subset_unit = cut.unit;
        if constexpr (requires { own.subset_begins; }) own.subset_begins = begins;
        if constexpr (requires { own.view_rows; })
          if (own.view_rows == 0) own.view_rows = cut.unit;
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

template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space> in_order(
    const ExecutionSpace& exec, const char* label, const std::vector<double>& values,
    Ordinal slices, const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map) {
  const auto natural = to_device_columns<ExecutionSpace, Scalar>(exec, label, values, slices);
  if (!map) return natural;
  return mapped_columns<ExecutionSpace, Scalar>(exec, label, natural, slices, *map);
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
  using memory_space = typename ExecutionSpace::memory_space;
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
  facts.gpu = !Impl::is_host_space<ExecutionSpace>;
  facts.scalar_bytes = sizeof(Scalar);
  facts.overflow = options.overflow;
  facts.keeps_bits = options.deterministic || options.resumed;
  if (plan_needs_nonzeros(task, facts)) facts.nonzeros = sampled_nonzeros(exec, source);
  PartsWish parts;
  parts.overflow = options.overflow;
  const auto made = build_planned<ExecutionSpace, Scalar>(exec, task, plan(task, facts), parts);
  task.wish = made.way->wish;
  set_rows(subsets_of(task), made.subset_begins, params);
  const auto vector = [&](const char* label, const std::vector<double>& values, Ordinal count,
                          const auto& map) {
    return values.empty() ? Vector<Scalar, memory_space>()
                          : in_order<ExecutionSpace, Scalar>(exec, label, values, count, map);
  };
  std::vector<double> filled;
  if (filters) {
    filled = data;
    fill_missing(std::get<ScanRows>(source).scan, {}, filled);
  }
  const auto b =
      vector("Tomokkos::reconstruct::b", filters ? filled : data, slices, made.order.rows);
  SolverInput<Scalar, memory_space> input;
  const auto multiplicative =
      vector("Tomokkos::reconstruct::multiplicative", options.multiplicative, 1, made.order.rows);
  const auto background =
      vector("Tomokkos::reconstruct::background", options.background, 1, made.order.rows);
  input.terms = {multiplicative, background};
  input.subset_order =
      subset_visits(task.needs.subsets, options.view_order, options.seed, task.wish.ordering.rows);

  const auto pixels = static_cast<std::size_t>(made.A.num_cols());
  const bool is_uniform = options.start.empty() && kind_of(params) == SolverKind::mlem;
  if (options.start.empty()) options.start.assign(pixels, 0);
  const auto x = in_order<ExecutionSpace, Scalar>(
      exec, "Tomokkos::reconstruct::x",
      for_each_slice(std::move(options.start), pixels, slices, "the start"), slices,
      made.order.columns);
  const auto B = columns_of<const Scalar, memory_space>(b, slices);
  const auto X = columns_of<Scalar, memory_space>(x, slices);
  if (is_uniform) uniform_start(exec, made.A, B, X, input.terms);

  const auto solver = make_solver<ExecutionSpace, Scalar>(exec, params, made.A, slices, input);
  if (options.resumed) solver->resume(std::move(*options.resumed));
  Reconstructed<Scalar> result;
  result.results = solver->solve(exec, made.A, B, X, monitor);
  result.images = to_host_slices<ExecutionSpace, Scalar>(exec, x, slices, made.order.columns);
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
