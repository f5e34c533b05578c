// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchReport.hpp"

#include "Tomokkos_BenchJson.hpp"
#include "Tomokkos_BenchSummary.hpp"

namespace Tomokkos::Bench {

double BenchResult::gigabytes_per_second() const {
  return seconds_median > 0 ? 1e-9 * static_cast<double>(bytes_model) / seconds_median : 0.0;
}

std::optional<double> BenchResult::gigaflops_per_second() const {
  if (operations <= 0 || seconds_median <= 0) return std::nullopt;
  return 1e-9 * operations / seconds_median;
}

std::optional<double> BenchResult::gigaflops_best() const {
  if (operations <= 0 || seconds_best <= 0) return std::nullopt;
  return 1e-9 * operations / seconds_best;
}

std::optional<double> BenchReport::share_of_bandwidth(const BenchResult& result) const {
  if (bandwidth.reference <= 0) return std::nullopt;
  if (result.footprint_bytes < 3 * machine.last_cache_bytes) return std::nullopt;
  return result.gigabytes_per_second() / bandwidth.reference;
}

std::optional<double> BenchReport::common_share(const BenchResult& result) const {
  const auto share = share_of_bandwidth(result);
  if (!result.solve || !share || result.bytes_model == 0) return std::nullopt;
  return *share * static_cast<double>(result.solve->common_bytes) /
         static_cast<double>(result.bytes_model);
}

std::optional<double> BenchReport::overhead_share(const BenchResult& result) {
  if (!result.solve || result.seconds_median <= 0) return std::nullopt;
  return 1 - result.solve->product_seconds / result.seconds_median;
}

const MatrixInfo* BenchReport::find_matrix(const std::string& name) const {
  for (const MatrixInfo& matrix : matrices)
    if (matrix.name == name) return &matrix;
  return nullptr;
}

std::optional<double> BenchReport::bytes_per_nonzero(const BenchResult& result) const {
  const MatrixInfo* matrix = find_matrix(result.name.matrix);
  if (matrix == nullptr || matrix->rows.nonzeros == 0) return std::nullopt;
  return static_cast<double>(result.bytes_model) / static_cast<double>(matrix->rows.nonzeros);
}

std::optional<double> BenchReport::nonzeros_per_second(const BenchResult& result) const {
  const MatrixInfo* matrix = find_matrix(result.name.matrix);
  if (matrix == nullptr || result.seconds_median <= 0) return std::nullopt;
  return static_cast<double>(matrix->rows.nonzeros) / result.seconds_median;
}

namespace {

void write_number(JsonWriter& json, const char* key, const std::optional<double>& value) {
  json.key(key);
  if (value)
    json.number(*value);
  else
    json.null();
}

void write_text(JsonWriter& json, const char* key, const std::string& value) {
  json.key(key);
  json.text(value);
}

void write_count(JsonWriter& json, const char* key, Offset value) {
  json.key(key);
  json.integer(static_cast<unsigned long long>(value));
}

void write_name(JsonWriter& json, const CandidateName& name) {
  json.key("matrix");
  json.text(name.matrix);
  json.key("operation");
  json.text(name.operation);
  json.key("format");
  json.text(name.format);
  json.key("variant");
  json.text(name.variant);
  json.key("scalar");
  json.text(name.scalar);
  json.key("backend");
  json.text(name.backend);
  json.key("library");
  json.text(name.library);
  json.key("vectors");
  json.integer(static_cast<unsigned long long>(name.vectors));
}

void write_machine(JsonWriter& json, const Machine& machine) {
  json.open_object();
  json.key("backend");
  json.text(machine.backend);
  json.key("device");
  json.text(machine.device);
  json.key("threads");
  json.integer(static_cast<unsigned long long>(machine.threads));
  json.key("last_cache_bytes");
  json.integer(machine.last_cache_bytes);
  json.key("memory_bytes");
  json.integer(machine.memory_bytes);
  json.key("versions");
  json.open_object();
  for (const auto& [what, version] : machine.versions) {
    json.key(what);
    json.text(version);
  }
  json.close_object();
  json.close_object();
}

void write_bandwidth(JsonWriter& json, const Bandwidth& bandwidth) {
  json.open_object();
  json.key("copy_gigabytes_per_second");
  json.number(bandwidth.copy);
  json.key("triad_gigabytes_per_second");
  json.number(bandwidth.triad);
  json.key("read_gigabytes_per_second");
  json.number(bandwidth.read);
  json.key("reference");
  json.number(bandwidth.reference);
  json.close_object();
}

void write_solve(JsonWriter& json, const BenchReport& report, const BenchResult& result) {
  json.key("solve");
  if (!result.solve) {
    json.null();
    return;
  }
  const SolveFigures& solve = *result.solve;
  json.open_object();
  write_count(json, "timed_iterations", solve.timed_iterations);
  write_number(json, "timed_residual", solve.timed_residual);
  write_number(json, "tolerance", solve.tolerance);
  write_count(json, "iterations", solve.iterations);
  write_text(json, "reason", solve.reason);
  write_number(json, "residual", solve.residual);
  write_count(json, "common_bytes", static_cast<Offset>(solve.common_bytes));
  write_number(json, "common_share", report.common_share(result));
  write_number(json, "product_seconds", solve.product_seconds);
  write_number(json, "overhead_share", BenchReport::overhead_share(result));
  json.close_object();
}

void write_transposition(JsonWriter& json, const BenchReport& report, const BenchResult& result) {
  json.key("transposition");
  if (!result.transposition) {
    json.null();
    return;
  }
  json.open_object();
  write_number(json, "nonzeros_per_second", report.nonzeros_per_second(result));
  if (const auto& bytes = result.transposition->workspace_bytes) {
    write_count(json, "workspace_bytes", static_cast<Offset>(*bytes));
  } else {
    json.key("workspace_bytes");
    json.null();
  }
  json.key("sorted");
  json.boolean(result.transposition->sorted);
  json.close_object();
}

void write_spread(JsonWriter& json, const BenchResult& result) {
  json.key("spread");
  if (!result.spread) {
    json.null();
    return;
  }
  json.open_object();
  write_count(json, "runs", result.spread->runs);
  write_number(json, "max", result.spread->largest);
  write_number(json, "rms", result.spread->rms);
  json.close_object();
}

void write_result(JsonWriter& json, const BenchReport& report, const BenchResult& result) {
  json.open_object();
  write_name(json, result.name);
  json.key("seconds_median");
  json.number(result.seconds_median);
  json.key("seconds_p25");
  json.number(result.seconds_p25);
  json.key("seconds_p75");
  json.number(result.seconds_p75);
  json.key("seconds_best");
  json.number(result.seconds_best);
  json.key("bytes_model");
  json.integer(result.bytes_model);
  json.key("footprint_bytes");
  json.integer(result.footprint_bytes);
  json.key("gigabytes_per_second");
  json.number(result.gigabytes_per_second());
  write_number(json, "gigaflops_per_second", result.gigaflops_per_second());
  write_number(json, "gigaflops_best", result.gigaflops_best());
  write_number(json, "share_of_bandwidth", report.share_of_bandwidth(result));
  write_number(json, "bytes_per_nonzero", report.bytes_per_nonzero(result));
  json.key("fill");
  json.number(result.fill);
  json.key("choice");
  if (result.choice.empty())
    json.null();
  else
    json.text(result.choice);
  json.key("setup_seconds");
  json.number(result.setup_seconds);
  const Payback payback = payback_of(report, result);
  write_number(json, "setup_products", payback.setup_products);
  write_number(json, "pays_after", payback.after);
  json.key("memory_bytes");
  json.integer(result.memory_bytes);
  write_solve(json, report, result);
  write_transposition(json, report, result);
  write_spread(json, result);
  write_number(json, "rmse_to_plain", result.rmse_to_plain);
  json.key("error");
  json.number(result.error);
  json.close_object();
}

void write_circulant(JsonWriter& json, const std::optional<CirculantInfo>& circulant) {
  json.key("circulant");
  if (!circulant) {
    json.null();
    return;
  }
  json.open_object();
  write_count(json, "blocks", circulant->blocks);
  write_count(json, "block_rows", circulant->block_rows);
  write_count(json, "block_columns", circulant->block_columns);
  write_count(json, "stored", circulant->stored);
  write_number(json, "reuse", circulant->reuse);
  write_count(json, "bytes", static_cast<Offset>(circulant->bytes));
  write_count(json, "csr_bytes", static_cast<Offset>(circulant->csr_bytes));
  json.close_object();
}

void write_matrix(JsonWriter& json, const MatrixInfo& matrix) {
  json.open_object();
  write_text(json, "name", matrix.name);
  write_text(json, "origin", matrix.origin);
  write_count(json, "rows", matrix.rows.rows);
  write_count(json, "columns", matrix.rows.columns);
  write_count(json, "nonzeros", matrix.rows.nonzeros);
  write_count(json, "shortest", matrix.rows.shortest);
  write_count(json, "longest", matrix.rows.longest);
  write_number(json, "mean", matrix.rows.mean);
  write_number(json, "sigma", matrix.rows.sigma);
  write_circulant(json, matrix.circulant);
  json.close_object();
}

void write_summary(JsonWriter& json, const BenchSummary& summary) {
  json.open_object();
  json.key("to_peers");
  json.open_list();
  for (const PeerSummary& peer : summary.to_peers) {
    json.open_object();
    write_text(json, "operation", peer.operation);
    write_text(json, "scalar", peer.scalar);
    write_text(json, "library", peer.library);
    write_count(json, "vectors", peer.vectors);
    write_count(json, "matrices", peer.matrices);
    write_number(json, "geometric_mean", peer.geometric_mean);
    write_number(json, "entry_weighted_mean", peer.entry_weighted_mean);
    json.close_object();
  }
  json.close_list();
  json.key("automatic");
  json.open_list();
  for (const AutomaticSummary& choice : summary.automatic) {
    json.open_object();
    write_text(json, "operation", choice.operation);
    write_text(json, "scalar", choice.scalar);
    write_text(json, "format", choice.format);
    write_count(json, "vectors", choice.vectors);
    write_count(json, "within_5_percent", choice.within_5_percent());
    json.key("matrices");
    json.open_list();
    for (const AutomaticChoice& matrix : choice.matrices) {
      json.open_object();
      write_text(json, "matrix", matrix.matrix);
      write_text(json, "chosen", matrix.chosen);
      write_text(json, "best", matrix.best);
      write_number(json, "to_best", matrix.to_best);
      json.close_object();
    }
    json.close_list();
    json.close_object();
  }
  json.close_list();
  json.close_object();
}

}  // namespace

std::string to_json(const BenchReport& report) {
  JsonWriter json;
  json.open_object();
  json.key("machine");
  write_machine(json, report.machine);
  json.key("bandwidth");
  write_bandwidth(json, report.bandwidth);
  json.key("matrices");
  json.open_list();
  for (const MatrixInfo& matrix : report.matrices) write_matrix(json, matrix);
  json.close_list();
  json.key("results");
  json.open_list();
  for (const BenchResult& result : report.results) write_result(json, report, result);
  json.close_list();
  json.key("summary");
  write_summary(json, summarize(report));
  json.key("skipped");
  json.open_list();
  for (const SkippedCandidate& skipped : report.skipped) {
    json.open_object();
    write_name(json, skipped.name);
    json.key("reason");
    json.text(skipped.reason);
    json.close_object();
  }
  json.close_list();
  json.key("absent_peers");
  json.open_list();
  for (const std::string& peer : report.absent_peers) json.text(peer);
  json.close_list();
  json.close_object();
  return json.take();
}

}  // namespace Tomokkos::Bench
