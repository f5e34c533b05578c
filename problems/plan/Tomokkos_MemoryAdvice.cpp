// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MemoryAdvice.hpp>
#include <algorithm>

namespace Tomokkos {
namespace {

/// Adds alternatives to \p task that need less memory with values of the precision of \p machine,
/// selected by the setting \p more: the symmetries of the scan, no second copy, ray tiles, 16-bit
/// values.
void add_alternatives(const SystemTask& task, const MachineFacts& machine, MatrixUse use,
                      const MatrixNumbers& of, const std::string& more,
                      std::vector<Alternative>& ways) {
  const OperatorWish& wish = task.wish;
  const bool is_float = machine.scalar_bytes == sizeof(float);
  const bool is_csr = wish.is(MatrixFormat::csr) || wish.is_automatic();
  const SolverNeeds& needs = task.needs;
  const auto add = [&](const std::string& name, const OperatorWish& changed) {
    const MatrixUse changed_use =
        changed.format_name() == wish.format_name() ? use : use_in_run(task, changed);
    MatrixNumbers numbers = of;
    // Packs of another format are not completely filled by segments.
    if (changed.is(MatrixFormat::ray_tiles) && !wish.is(MatrixFormat::ray_tiles))
      numbers.format_bytes = 1.25 * of.nonzeros * bytes_of_entry(changed, machine);
    const double bytes = bytes_of_run(task, changed, machine, changed_use, numbers).least();
    ways.push_back({(more.empty() || name.empty() ? more : more + " with ") + name, bytes});
  };
  if (!more.empty()) add("", wish);
  const bool may_add = !task.needs.deterministic && needs.transpose && is_csr &&
                       (keeps_transpose(task, wish, use) || makes_windows(task, wish, use));
  if (task.rows_are_rays && is_csr && of.stored_rays > 0 && !wish.symmetric()) {
    OperatorWish changed;
    changed.set_format("scsr");
    add("operator.format: scsr", changed);
    changed.transpose = TransposeMethod::atomic;
    if (may_add) add("operator: {format: scsr, transpose: atomic}", changed);
  }
  if (may_add) {
    OperatorWish changed = wish;
    changed.transpose = TransposeMethod::atomic;
    add("operator.transpose: atomic", changed);
  }
  if (task.rows_are_rays && is_csr && !wish.symmetric() && needs.transpose && !needs.rows &&
      wish.variant == SpmvVariant::automatic) {
    OperatorWish changed = wish;
    changed.stored = TiledOptions{};
    changed.ordering.columns = Ordering::squares;
    add("operator.format: ray_tiles", changed);
    changed.set_values(StoredPrecision::half);
    if (is_float) add("operator: {format: ray_tiles, values: half}", changed);
  }
  if (is_traced(task.rows) && !wish.computed()) {
    OperatorWish changed;
    changed.set_format("computed");
    add("operator: {format: computed}", changed);
  }
  if (is_float && wish.may_use_halves()) {
    OperatorWish changed = wish;
    changed.set_values(StoredPrecision::half);
    add("operator.values: half", changed);
  }
}

}  // namespace

std::string advice_of(const std::vector<Alternative>& ways, std::uint64_t available) {
  const auto described = [](const Alternative& way) {
    const std::string bytes = describe_bytes(Impl::whole_bytes(way.bytes));
    return way.name + " (about " + bytes.substr(0, bytes.find(" (")) + ")";
  };
  std::string fitting;
  int count = 0;
  for (const Alternative& way : ways)
    if (way.bytes <= static_cast<double>(available) && count++ < 3)
      fitting += (fitting.empty() ? "" : ", or ") + described(way);
  if (!fitting.empty()) return "these settings fit: " + fitting;
  const auto least = std::min_element(
      ways.begin(), ways.end(),
      [](const Alternative& a, const Alternative& b) { return a.bytes < b.bytes; });
  if (least == ways.end()) return "make the problem smaller";
  return "make the problem smaller: even " + described(*least) + " does not fit";
}

std::string advice_for(const SystemTask& task, const MachineFacts& machine, MatrixUse use,
                       const MatrixNumbers& numbers) {
  if (use == MatrixUse::matrix) return "make the problem smaller";
  std::vector<Alternative> ways;
  add_alternatives(task, machine, use, numbers, "", ways);
  if (machine.scalar_bytes == sizeof(double)) {
    MachineFacts in_float = machine;
    in_float.scalar_bytes = sizeof(float);
    add_alternatives(task, in_float, use, numbers, "run.scalar: float", ways);
  }
  return advice_of(ways, machine.device_free);
}

}  // namespace Tomokkos
