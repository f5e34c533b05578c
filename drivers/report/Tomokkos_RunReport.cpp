// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Art.hpp>
#include <Tomokkos_BlockArt.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_RunReport.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace Tomokkos {

namespace {

template <class Value>
void set_if(ConfigNode& node, const char* key, const std::optional<Value>& value) {
  if (value) node.set(key, ConfigNode::number(static_cast<double>(*value)));
}

/// The larger one; NaN (never `-nan`), which is no residual at all, before any number.
double larger(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
}

/// How often each reason ended a slice.
std::map<StopReason, int> count_reasons(const std::vector<SolveResult>& results) {
  std::map<StopReason, int> counts;
  for (const auto& result : results) ++counts[result.reason];
  return counts;
}

}  // namespace

void PhaseClock::begin(const std::string& name) {
  end();
  current_ = name;
  phase_start_ = Clock::now();
}

void PhaseClock::end() {
  if (current_.empty()) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - phase_start_).count();
  const auto known = std::find_if(phases_.begin(), phases_.end(),
                                  [&](const auto& phase) { return phase.first == current_; });
  if (known != phases_.end())
    known->second += seconds;
  else
    phases_.emplace_back(current_, seconds);
  current_.clear();
}

double PhaseClock::seconds(const std::string& name) const {
  for (const auto& [phase, seconds] : phases_)
    if (phase == name) return seconds;
  return 0.0;
}

ConfigNode PhaseClock::node() const {
  ConfigNode node = ConfigNode::map();
  for (const auto& [phase, seconds] : phases_) node.set(phase, ConfigNode::number(seconds));
  node.set("total",
           ConfigNode::number(std::chrono::duration<double>(Clock::now() - start_).count()));
  return node;
}

ConfigNode matrix_node(const RowStatistics& statistics, std::size_t memory_bytes) {
  ConfigNode node = ConfigNode::map();
  node.set("rows", ConfigNode::integer(statistics.rows));
  node.set("columns", ConfigNode::integer(statistics.columns));
  node.set("nonzeros", ConfigNode::integer(statistics.nonzeros));
  ConfigNode lengths = ConfigNode::map(true);
  lengths.set("min", ConfigNode::integer(statistics.shortest));
  lengths.set("mean", ConfigNode::number(statistics.mean));
  lengths.set("max", ConfigNode::integer(statistics.longest));
  lengths.set("sigma", ConfigNode::number(statistics.sigma));
  node.set("row_length", std::move(lengths));
  node.set("empty_rows", ConfigNode::integer(statistics.empty_rows));
  node.set("memory_bytes", ConfigNode::integer(memory_bytes));
  return node;
}

ConfigNode memory_node(const MemoryPeaks& peaks) {
  ConfigNode node = ConfigNode::map();
  node.set("host_bytes", ConfigNode::integer(peaks.host));
  node.set("device_bytes", ConfigNode::integer(peaks.device));
  node.set("solver_bytes", ConfigNode::integer(peaks.solver));
  return node;
}

ConfigNode traffic_node(const TrafficBytes& bytes, bool uses_transpose, int iterations,
                        double seconds) {
  ConfigNode node = ConfigNode::map();
  node.set("forward_bytes", ConfigNode::integer(bytes.forward));
  node.set("transpose_bytes", uses_transpose ? ConfigNode::integer(bytes.transpose) : ConfigNode());
  node.set("iteration_bytes", ConfigNode::integer(bytes.iteration));
  const double moved = static_cast<double>(bytes.iteration) * iterations;
  node.set("gigabytes_per_second", iterations > 0 && seconds > 0
                                       ? ConfigNode::number(1e-9 * moved / seconds)
                                       : ConfigNode());
  return node;
}

ConfigNode subsets_node(const RowSubsets& subsets, const OrderingOptions& ordering) {
  Ordinal smallest = std::numeric_limits<Ordinal>::max(), largest = 0;
  for (int i = 0; i < subsets.count(); ++i) {
    smallest = std::min(smallest, subsets[i].end - subsets[i].begin);
    largest = std::max(largest, subsets[i].end - subsets[i].begin);
  }
  ConfigNode node = ConfigNode::map(true);
  node.set("count", ConfigNode::integer(subsets.count()));
  node.set("smallest", ConfigNode::integer(smallest));
  node.set("largest", ConfigNode::integer(largest));
  node.set("order", ordering.rows == Ordering::subsets
                        ? ConfigNode::integers(subset_class_order(subsets.count()))
                        : ConfigNode::text(std::string(to_string(ordering.rows))));
  return node;
}

template <class Scalar>
ConfigNode regions_node(const std::vector<PhantomRegion>& regions, std::span<const double> phantom,
                        std::span<const Scalar> image) {
  ConfigNode node = ConfigNode::list(false);
  for (const PhantomRegion& region : regions) {
    const RegionValues hot = values_in(image, region.hot), cold = values_in(image, region.cold);
    const double difference =
        values_in(phantom, region.hot).mean - values_in(phantom, region.cold).mean;
    ConfigNode entry = ConfigNode::map(true);
    entry.set("name", ConfigNode::text(region.name));
    entry.set("hot_pixels", ConfigNode::integer(region.hot.size()));
    entry.set("hot_mean", ConfigNode::number(hot.mean));
    entry.set("hot_sigma", ConfigNode::number(hot.sigma));
    entry.set("cold_pixels", ConfigNode::integer(region.cold.size()));
    entry.set("cold_mean", ConfigNode::number(cold.mean));
    entry.set("cold_sigma", ConfigNode::number(cold.sigma));
    // A region too small for this image has no pixels of one kind.
    if (!region.hot.empty() && !region.cold.empty())
      entry.set("contrast", ConfigNode::number((hot.mean - cold.mean) / difference));
    node.push_back(std::move(entry));
  }
  return node;
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                           \
  template ConfigNode regions_node(const std::vector<PhantomRegion>&, std::span<const double>, \
                                   std::span<const Scalar>);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

namespace {

/// Writes the figures that only one solver has.
void set_solver_figures(const SolveResult& result, ConfigNode& node) {
  const auto* const mlem = result.figures<MlemFigures>();
  if (mlem != nullptr && result.history.back().log_likelihood) {
    const IterationRecord& last = result.history.back();
    node.set("log_likelihood", ConfigNode::number(*last.log_likelihood));
    node.set("counts", ConfigNode::number(mlem->counts));
    set_if(node, "model_counts", last.model_counts);
    node.set("excluded_rows", ConfigNode::integer(mlem->excluded_rows));
    node.set("excluded_counts", ConfigNode::number(mlem->excluded_counts));
    node.set("inactive_voxels", ConfigNode::integer(mlem->inactive_voxels));
  }
  if (const auto* const art = result.figures<ArtFigures>()) {
    node.set("excluded_rows", ConfigNode::integer(art->excluded_rows));
    ConfigNode levels = ConfigNode::map(true);
    levels.set("count", ConfigNode::integer(art->levels));
    levels.set("mean_width", ConfigNode::number(art->mean_width));
    levels.set("largest_width", ConfigNode::integer(art->largest_width));
    node.set("levels", std::move(levels));
  }
  if (const auto* const art = result.figures<BlockArtFigures>()) {
    node.set("excluded_rows", ConfigNode::integer(art->excluded_rows));
    node.set("blocks", ConfigNode::integer(art->blocks));
  }
}

}  // namespace

ConfigNode result_node(const SolveResult& result, const std::map<int, double>& rmse) {
  ConfigNode node = ConfigNode::map();
  node.set("reason", ConfigNode::text(std::string(to_string(result.reason))));
  node.set("iterations", ConfigNode::integer(result.iterations));
  node.set("residual", ConfigNode::number(result.residual));
  node.set("relative_residual", ConfigNode::number(result.relative_residual));
  node.set("rhs_norm", ConfigNode::number(result.rhs_norm));
  set_if(node, "recursive_residual", result.recursive_residual);
  if (result.row) node.set("row", ConfigNode::integer(*result.row));
  set_solver_figures(result, node);
  if (const auto last = rmse.find(result.iterations); last != rmse.end())
    node.set("rmse", ConfigNode::number(last->second));
  if (result.non_finite_iteration)
    node.set("non_finite_iteration", ConfigNode::integer(*result.non_finite_iteration));
  if (result.non_finite_source)
    node.set("non_finite_source",
             ConfigNode::text(std::string(to_string(*result.non_finite_source))));
  return node;
}

ConfigNode history_node(const SolveResult& result, const std::map<int, double>& rmse) {
  ConfigNode node = ConfigNode::list(false);
  for (const IterationRecord& record : result.history) {
    ConfigNode entry = ConfigNode::map(true);
    entry.set("iteration", ConfigNode::integer(record.iteration));
    set_if(entry, "residual", record.residual);
    set_if(entry, "relative_residual", record.relative_residual);
    set_if(entry, "preconditioned_residual", record.preconditioned_residual);
    set_if(entry, "relative_change", record.relative_change);
    set_if(entry, "log_likelihood", record.log_likelihood);
    set_if(entry, "model_counts", record.model_counts);
    set_if(entry, "gradient", record.gradient);
    set_if(entry, "ncp", record.ncp);
    set_if(entry, "monotone_error", record.monotone_error);
    if (const auto known = rmse.find(record.iteration); known != rmse.end())
      entry.set("rmse", ConfigNode::number(known->second));
    node.push_back(std::move(entry));
  }
  return node;
}

ConfigNode stack_node(const std::vector<SolveResult>& results) {
  ConfigNode node = ConfigNode::map();
  node.set("slices", ConfigNode::integer(results.size()));
  ConfigNode reasons = ConfigNode::map(true);
  for (const auto& [reason, count] : count_reasons(results))
    reasons.set(std::string(to_string(reason)), ConfigNode::integer(count));
  node.set("reasons", std::move(reasons));
  int iterations = 0;
  double smallest = std::nan("");
  for (const auto& result : results) {
    iterations = std::max(iterations, result.iterations);
    smallest = std::fmin(smallest, result.relative_residual);
  }
  node.set("iterations", ConfigNode::integer(iterations));
  node.set("smallest_relative_residual", ConfigNode::number(smallest));
  node.set("largest_relative_residual", ConfigNode::number(largest_relative_residual(results)));
  return node;
}

double largest_relative_residual(const std::vector<SolveResult>& results) {
  double largest = 0;
  for (const auto& result : results) largest = larger(largest, result.relative_residual);
  return largest;
}

ConfigNode stack_history_node(const std::vector<SolveResult>& results) {
  ConfigNode node = ConfigNode::list(false);
  for (std::size_t j = 0; j < results.size(); ++j) {
    ConfigNode entry = ConfigNode::map(true);
    entry.set("slice", ConfigNode::integer(j));
    ConfigNode residuals = ConfigNode::list();
    for (const auto& record : results[j].history)
      residuals.push_back(record.relative_residual ? ConfigNode::number(*record.relative_residual)
                                                   : ConfigNode());
    entry.set("relative_residual", std::move(residuals));
    node.push_back(std::move(entry));
  }
  return node;
}

std::string describe_reasons(const std::vector<SolveResult>& results) {
  if (results.size() == 1) return std::string(to_string(results.front().reason));
  std::string text = std::to_string(results.size()) + " slices";
  const char* separator = ": ";
  for (const auto& [reason, count] : count_reasons(results)) {
    text += separator + std::string(to_string(reason)) + " " + std::to_string(count);
    separator = ", ";
  }
  return text;
}

std::string explain_reason(StopReason reason) {
  if (reason == StopReason::indefinite)
    return " (the matrix is singular with the right-hand side outside its range, or indefinite)";
  return {};
}

std::string describe_drift(const std::vector<SolveResult>& results, bool in_float) {
  for (const SolveResult& result : results) {
    const bool passes = result.reason == StopReason::converged ||
                        result.reason == StopReason::discrepancy ||
                        result.reason == StopReason::zero_rhs;
    if (passes || !result.recursive_residual || !std::isfinite(result.residual)) continue;
    const double drift = std::abs(result.residual - *result.recursive_residual);
    if (!(drift > 0.05 * result.residual)) continue;
    char text[200];
    std::snprintf(
        text, sizeof text,
        "warning: the recursion of cgls has drifted: it has a residual of %.4g, and x one "
        "of %.4g; ",
        *result.recursive_residual, result.residual);
    return text + std::string(in_float ? "run.scalar: double or " : "") +
           "solver.restart_every keeps it honest";
  }
  return {};
}

namespace {

/// True for an image that is further from the data than the start and than an image of zeros.
bool has_diverged(const SolveResult& result) {
  if (result.history.empty() || !result.history.front().residual) return false;
  const double first = std::max(*result.history.front().residual, result.rhs_norm);
  return result.residual > 1.001 * first;
}

}  // namespace

int exit_status_of(const std::vector<SolveResult>& results, bool stack, bool tells) {
  int status = exit_done;
  for (std::size_t j = 0; j < results.size(); ++j) switch (results[j].reason) {
      case StopReason::interrupted:
        return exit_interrupted;
      case StopReason::non_finite:
      case StopReason::indefinite:
      case StopReason::indefinite_preconditioner:
      case StopReason::breakdown:
      case StopReason::zero_diagonal:
        if (tells)
          std::fprintf(
              stderr, "tomokkos: error: %snot solved: %s\n",
              (stack ? "slice " + std::to_string(j) + ": " : "").c_str(),
              (std::string(to_string(results[j].reason)) + explain_reason(results[j].reason))
                  .c_str());
        status = exit_failed;
        break;
      default:
        if (!has_diverged(results[j])) break;
        if (tells)
          std::fprintf(
              stderr,
              "tomokkos: error: %snot solved: the residual is %.4g of the data, larger than "
              "at the start\n",
              (stack ? "slice " + std::to_string(j) + ": " : "").c_str(),
              results[j].relative_residual);
        status = exit_failed;
    }
  return status;
}

std::string describe_iteration(const std::vector<IterationRecord>& records,
                               const std::vector<std::map<int, double>>& rmse) {
  double residual = -1, error = -1;
  for (std::size_t j = 0; j < records.size(); ++j) {
    residual = larger(residual, records[j].relative_residual.value_or(-1));
    if (const auto known = rmse[j].find(records[j].iteration); known != rmse[j].end())
      error = larger(error, known->second);
  }
  std::string detail;
  char text[48];
  if (!(residual < 0)) {
    std::snprintf(text, sizeof text, ", residual %.4g", residual);
    detail += text;
  }
  if (!(error < 0)) {
    std::snprintf(text, sizeof text, ", rmse %.4g", error);
    detail += text;
  }
  return detail;
}

std::string describe_active(const std::vector<bool>& active) {
  return ", " + std::to_string(std::count(active.begin(), active.end(), true)) + " of " +
         std::to_string(active.size()) + " slices";
}

}  // namespace Tomokkos
