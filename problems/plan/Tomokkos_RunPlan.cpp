// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseComputed.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_RunPlan.hpp>

namespace Tomokkos {
namespace {

constexpr const char* computes_entries =
    "the entries are computed in every product instead (operator.format: computed)";
constexpr const char* stores_blocks =
    "only the row of blocks is stored (operator.format: block_circulant)";
constexpr const char* divides_rows =
    "the rows that do not fit are streamed or left to the host (run.overflow)";
constexpr const char* fastest_computed =
    "the entries are computed in every product: the fastest format for this scan "
    "(operator.format: automatic)";
constexpr const char* host_computed =
    "the entries are computed in every product, which is fast for this scan and stores no matrix "
    "(operator.format: automatic)";
constexpr const char* fastest_symmetric =
    "one ray of each orbit under the symmetries of the square is stored: the fastest format for "
    "this scan (operator.format: automatic)";
constexpr const char* rows_on_host =
    "rays are stored row by row, which needs the least memory (operator.format: automatic)";

OperatorWish wish_with(const SystemTask& task, const char* format) {
  OperatorWish wish = task.wish;
  wish.set_format(format);
  return wish;
}

OperatorWish computed_wish(const SystemTask& task) {
  OperatorWish wish = wish_with(task, "computed");
  wish.ordering = default_ordering(task.needs.subsets);
  if (task.wish.ordering.rows != Ordering::subsets) wish.ordering.rows = Ordering::natural;
  return wish;
}

OperatorWish symmetric_wish(const SystemTask& task) {
  OperatorWish wish = wish_with(task, "scsr");
  wish.transpose = TransposeMethod::stored;
  wish.ordering = {};
  return wish;
}

OperatorWish block_row_wish(const SystemTask& task) {
  OperatorWish wish = wish_with(task, "block_circulant");
  wish.transpose = TransposeMethod::stored;
  return wish;
}

/// True if entries may be computed where the matrix does not fit.
bool may_compute(const SystemTask& task) {
  // The entries of a cone beam are computed for all voxels.
  return is_traced(task.rows) &&
         !(traits_of(task.rows).is_circulant && !task.masks.columns.empty());
}

/// True if a cone beam may store only its row of blocks.
bool may_store_blocks(const SystemTask& task) {
  return traits_of(task.rows).is_circulant && !task.needs.rows &&
         task.wish.ordering == default_ordering(task.needs.subsets);
}

/// True if entries are computed rather than rows divided. The kernels of the scans are far faster
/// than reading entries from host memory; tracing the rays of a scanner never was. Measured shares
/// would change the last bits from run to run.
bool prefers_computed_to_parts(const SystemTask& task, const PlanFacts& facts) {
  if (facts.parts.overflow != Overflow::automatic) return false;
  if (facts.keeps_bits) return true;
  const auto* const scan = std::get_if<ScanRows>(&task.rows);
  return scan != nullptr && gpu_computed_costs(*scan, facts.machine.scalar_bytes).has_value();
}

/// Format that is chosen on a host; empty: a stored format of the whole matrix.
std::string_view format_on_host(const SystemTask& task, const PlanFacts& facts) {
  if (facts.machine.gpu || facts.parts.divides_rows() || !task.wish.is_automatic()) return {};
  return fastest_on_host(task, facts.machine,
                         facts.slabs ? facts.slabs->count : task.needs.vectors);
}

/// Ways where the matrix of \p task does not fit.
std::vector<PlannedWay> other_ways(const SystemTask& task, const PlanFacts& facts) {
  if (facts.parts.overflow == Overflow::refused) return {};
  std::vector<PlannedWay> ways;
  const bool computes = task.wish.is_automatic() && may_compute(task);
  const PlannedWay computed{computed_wish(task), false, computes_entries};
  if (task.wish.is_automatic() && may_store_blocks(task)) {
    ways.push_back({block_row_wish(task), false, stores_blocks});
    if (computes) ways.push_back(computed);
    return ways;
  }
  const bool overflows = facts.machine.gpu && obstacle_to_parts(task).empty();
  if (computes && (!overflows || prefers_computed_to_parts(task, facts)))
    ways.push_back(computed);
  else if (overflows)
    ways.push_back({task.wish, true, divides_rows});
  return ways;
}

/// Adds the phase in which slabs are solved, with the size that fits beside the matrix.
void add_slabs(const SystemTask& task, const PlanFacts& facts, const MatrixNumbers& of,
               RunBytes& bytes) {
  const SliceShape kept{static_cast<Ordinal>(of.rays), static_cast<Ordinal>(of.pixels)};
  const SliceShape natural{num_rows(task.rows), num_cols(task.rows)};
  const PlaceBytes slice =
      bytes_of_slice_in_slab(task, facts.machine, kept, natural, task.data.has_gaps);
  MachineFacts left = facts.machine;
  left.device_free -= std::min(left.device_free, Impl::whole_bytes(bytes.matrix));
  if (!left.gpu) left.host_free = left.device_free;
  const SlabPlan& slabs = *facts.slabs;
  // A slab that does not fit is refused when the matrix is in memory.
  Ordinal size = slabs.fewest;
  try {
    size = slab_size(slabs, left, slice, task.needs.iterations);
  } catch (const MemoryError&) {
  }
  const Ordinal solved = slabs.solved(size), next = std::min(size, slabs.count - size);
  bytes.phases.push_back(
      {"slabs", PlaceBytes{bytes.matrix, 0} + slice * static_cast<double>(solved) +
                    bytes_of_slice_being_read(left, natural) * static_cast<double>(next - solved)});
}

/// Ways of a run, without their bytes.
RunPlan ways_of(const SystemTask& task, const PlanFacts& facts) {
  RunPlan result;
  const auto only = [&](PlannedWay way) {
    result.ways = {std::move(way)};
    return result;
  };
  if (facts.parts.divides_rows())
    return only({task.wish, true, "the configuration divides the rows"});
  if (plan_needs_nonzeros(task, facts)) {
    result.not_computed = reason_against_computed(task, facts.machine, facts.sample.nonzeros);
    if (!result.not_computed) return only({computed_wish(task), false, fastest_computed});
  }
  const std::string_view fastest = format_on_host(task, facts);
  if (fastest == "computed") return only({computed_wish(task), false, host_computed});
  if (fastest == "scsr")
    result.ways = {{symmetric_wish(task), false, fastest_symmetric}};
  else if (fastest == "csr")
    result.ways = {{wish_with(task, "csr"), false, rows_on_host}};
  else
    result.ways = {{task.wish, false, "the configuration asks for it"}};
  for (PlannedWay& way : other_ways(task, facts)) result.ways.push_back(std::move(way));
  return result;
}

}  // namespace

std::string name_of(const PlannedWay& way) {
  if (way.in_parts) return "parts";
  return way.wish.symmetric() ? std::string(to_string(StoredPart::orbits)) : way.wish.format_name();
}

bool plan_needs_nonzeros(const SystemTask& task, const PlanFacts& facts) {
  // The report does not repeat what holds for every scan on a host.
  return facts.machine.gpu && !facts.parts.divides_rows() && task.wish.is_automatic() &&
         std::holds_alternative<ScanRows>(task.rows);
}

bool plan_needs_sample(const SystemTask& task, const PlanFacts& facts) {
  if (plan_needs_nonzeros(task, facts)) return true;
  if (facts.parts.divides_rows() || task.share.ranks > 1 || !is_traced(task.rows)) return false;
  if (!task.wish.is_automatic()) return !task.wish.computed();
  const std::string_view format = format_on_host(task, facts);
  return format == "scsr" || format == "csr";
}

std::optional<RunBytes> bytes_of_way(const SystemTask& task, const PlanFacts& facts) {
  const OperatorWish& wish = task.wish;
  const MachineFacts& machine = facts.machine;
  const double nonzeros = facts.sample.nonzeros;
  if (wish.is_automatic() || !is_traced(task.rows) || (nonzeros == 0 && !wish.computed()))
    return {};
  const double slices = task.needs.vectors;
  if (const auto* const beam = std::get_if<ConeBeamRows>(&task.rows); beam && !wish.computed()) {
    CirculantSize size = beam->circulant_size();
    size.stored = static_cast<Offset>(nonzeros / size.blocks);
    // Other formats of the expanded matrix have no advantage, and their sizes are not sampled.
    if (!wish.block_circulant() && !wish.is(MatrixFormat::csr)) return {};
    return bytes_of_circulant_run(task, wish, machine, size, MatrixUse::products, slices);
  }
  const MatrixUse use = use_in_run(task, wish);
  MatrixNumbers numbers = numbers_of(task, use, nonzeros);
  numbers.slices = slices;
  numbers.patterns = task.data.gap_patterns;
  if (wish.symmetric() && numbers.stored_rays == 0) return {};
  if (needs_sizes(wish) && !set_format_bytes(task, machine, facts.sample, numbers)) return {};
  RunBytes result = bytes_of_run(task, wish, machine, use, numbers);
  if (facts.slabs) add_slabs(task, facts, numbers, result);
  return result;
}

RunPlan plan(const SystemTask& task, const PlanFacts& facts) {
  RunPlan result = ways_of(task, facts);
  if (task.share.ranks > 1) return result;
  SystemTask changed = task;
  for (PlannedWay& way : result.ways) {
    changed.wish = way.wish;
    if (way.in_parts) continue;
    const MachineFacts& machine = facts.machine;
    if (const auto bytes = bytes_of_way(changed, facts))
      way.peak_bytes = bytes->peak() + PlaceBytes{static_cast<double>(machine.device_held),
                                                  static_cast<double>(machine.host_held)}
                                           .on(machine);
  }
  return result;
}

std::string obstacle_to_parts(const SystemTask& task) {
  const OperatorWish& wish = task.wish;
  if (wish.symmetric() || wish.computed())
    return "operator.format: " + std::string(to_string(wish.part)) + " is not divided";
  if (wish.block_circulant() || traits_of(task.rows).is_circulant)
    return "block-circulant matrices are not divided";
  if (task.needs.rows)
    return "solver.type: " + std::string(task.needs.blocks ? "block_art" : "art") +
           " visits rows, which parts do not give";
  if (!is_geometric(wish.ordering))
    return "operator.ordering: " + std::string(to_string(wish.ordering.rows)) +
           " needs the whole matrix";
  return {};
}

}  // namespace Tomokkos
