// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nlohmann/json.hpp>

#include "Tomokkos_BenchReport.hpp"
#include "Tomokkos_BenchSummary.hpp"

namespace Tomokkos::Bench {
namespace {

/// Members of this type keep the order in which they are written here.
using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <class T, class Convert>
Json list_of(const std::vector<T>& items, const Convert& convert) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(convert(item));
  return list;
}

Json json_of(const CandidateName& name) {
  return {{"matrix", name.matrix},   {"operation", name.operation}, {"format", name.format},
          {"variant", name.variant}, {"scalar", name.scalar},       {"backend", name.backend},
          {"library", name.library}, {"vectors", name.vectors}};
}

Json json_of(const Machine& machine) {
  Json versions = Json::object();
  for (const auto& [what, version] : machine.versions) versions[what] = version;
  return {{"backend", machine.backend},           {"device", machine.device},
          {"threads", machine.threads},           {"last_cache_bytes", machine.last_cache_bytes},
          {"memory_bytes", machine.memory_bytes}, {"versions", versions}};
}

Json json_of(const Bandwidth& bandwidth) {
  return {{"copy_gigabytes_per_second", bandwidth.copy},
          {"triad_gigabytes_per_second", bandwidth.triad},
          {"read_gigabytes_per_second", bandwidth.read},
          {"reference", bandwidth.reference}};
}

Json json_of(const CirculantInfo& circulant) {
  return {{"blocks", circulant.blocks},
          {"block_rows", circulant.block_rows},
          {"block_columns", circulant.block_columns},
          {"stored", circulant.stored},
          {"reuse", circulant.reuse},
          {"bytes", circulant.bytes},
          {"csr_bytes", circulant.csr_bytes}};
}

Json json_of(const MatrixInfo& matrix) {
  return {{"name", matrix.name},
          {"origin", matrix.origin},
          {"rows", matrix.rows.rows},
          {"columns", matrix.rows.columns},
          {"nonzeros", matrix.rows.nonzeros},
          {"shortest", matrix.rows.shortest},
          {"longest", matrix.rows.longest},
          {"mean", matrix.rows.mean},
          {"sigma", matrix.rows.sigma},
          {"circulant", matrix.circulant ? json_of(*matrix.circulant) : Json()}};
}

Json solve_of(const BenchReport& report, const BenchResult& result) {
  if (!result.solve) return {};
  const SolveFigures& solve = *result.solve;
  return {{"timed_iterations", solve.timed_iterations},
          {"timed_residual", solve.timed_residual},
          {"tolerance", solve.tolerance},
          {"iterations", solve.iterations},
          {"reason", solve.reason},
          {"residual", solve.residual},
          {"common_bytes", solve.common_bytes},
          {"common_share", or_null(report.common_share(result))},
          {"product_seconds", solve.product_seconds},
          {"overhead_share", or_null(BenchReport::overhead_share(result))}};
}

Json transposition_of(const BenchReport& report, const BenchResult& result) {
  if (!result.transposition) return {};
  return {{"nonzeros_per_second", or_null(report.nonzeros_per_second(result))},
          {"workspace_bytes", or_null(result.transposition->workspace_bytes)},
          {"sorted", result.transposition->sorted}};
}

Json spread_of(const BenchResult& result) {
  if (!result.spread) return {};
  return {
      {"runs", result.spread->runs}, {"max", result.spread->largest}, {"rms", result.spread->rms}};
}

Json result_of(const BenchReport& report, const BenchResult& result) {
  const Payback payback = payback_of(report, result);
  Json json = json_of(result.name);
  json.update({{"seconds_median", result.seconds_median},
               {"seconds_p25", result.seconds_p25},
               {"seconds_p75", result.seconds_p75},
               {"seconds_best", result.seconds_best},
               {"bytes_model", result.bytes_model},
               {"footprint_bytes", result.footprint_bytes},
               {"gigabytes_per_second", result.gigabytes_per_second()},
               {"gigaflops_per_second", or_null(result.gigaflops_per_second())},
               {"gigaflops_best", or_null(result.gigaflops_best())},
               {"share_of_bandwidth", or_null(report.share_of_bandwidth(result))},
               {"bytes_per_nonzero", or_null(report.bytes_per_nonzero(result))},
               {"fill", result.fill},
               {"choice", result.choice.empty() ? Json() : Json(result.choice)},
               {"setup_seconds", result.setup_seconds},
               {"setup_products", or_null(payback.setup_products)},
               {"pays_after", or_null(payback.after)},
               {"memory_bytes", result.memory_bytes},
               {"solve", solve_of(report, result)},
               {"transposition", transposition_of(report, result)},
               {"spread", spread_of(result)},
               {"rmse_to_plain", or_null(result.rmse_to_plain)},
               {"error", result.error}});
  return json;
}

Json json_of(const SkippedCandidate& skipped) {
  Json json = json_of(skipped.name);
  json["reason"] = skipped.reason;
  return json;
}

Json json_of(const PeerSummary& peer) {
  return {{"operation", peer.operation},
          {"scalar", peer.scalar},
          {"library", peer.library},
          {"vectors", peer.vectors},
          {"matrices", peer.matrices},
          {"geometric_mean", peer.geometric_mean},
          {"entry_weighted_mean", peer.entry_weighted_mean}};
}

Json json_of(const AutomaticSummary& summary) {
  const auto choice = [](const AutomaticChoice& matrix) {
    return Json{{"matrix", matrix.matrix},
                {"chosen", matrix.chosen},
                {"best", matrix.best},
                {"to_best", matrix.to_best}};
  };
  return {{"operation", summary.operation},
          {"scalar", summary.scalar},
          {"format", summary.format},
          {"vectors", summary.vectors},
          {"within_5_percent", summary.within_5_percent()},
          {"matrices", list_of(summary.matrices, choice)}};
}

}  // namespace

std::string to_json(const BenchReport& report) {
  const auto convert = [](const auto& item) { return json_of(item); };
  const BenchSummary summary = summarize(report);
  const Json json{
      {"machine", json_of(report.machine)},
      {"bandwidth", json_of(report.bandwidth)},
      {"matrices", list_of(report.matrices, convert)},
      {"results",
       list_of(report.results, [&](const BenchResult& r) { return result_of(report, r); })},
      {"summary",
       {{"to_peers", list_of(summary.to_peers, convert)},
        {"automatic", list_of(summary.automatic, convert)}}},
      {"skipped", list_of(report.skipped, convert)},
      {"absent_peers", list_of(report.absent_peers, [](const std::string& peer) { return peer; })}};
  // Names of files may be in another encoding: replace invalid bytes. NaN and infinity become null.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace Tomokkos::Bench
