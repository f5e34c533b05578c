// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchReport.hpp"

#include "Tomokkos_BenchJson.hpp"

namespace Tomokkos::Bench {

double BenchResult::gigabytes_per_second() const {
  return seconds_median > 0 ? 1e-9 * static_cast<double>(bytes_model) / seconds_median : 0.0;
}

std::optional<double> BenchReport::share_of_bandwidth(const BenchResult& result) const {
  if (bandwidth.reference <= 0) return std::nullopt;
  if (result.footprint_bytes < 3 * machine.last_cache_bytes) return std::nullopt;
  return result.gigabytes_per_second() / bandwidth.reference;
}

namespace {

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

void write_result(JsonWriter& json, const BenchReport& report, const BenchResult& result) {
  json.open_object();
  write_name(json, result.name);
  json.key("seconds_median");
  json.number(result.seconds_median);
  json.key("seconds_p25");
  json.number(result.seconds_p25);
  json.key("seconds_p75");
  json.number(result.seconds_p75);
  json.key("bytes_model");
  json.integer(result.bytes_model);
  json.key("footprint_bytes");
  json.integer(result.footprint_bytes);
  json.key("gigabytes_per_second");
  json.number(result.gigabytes_per_second());
  json.key("share_of_bandwidth");
  if (const auto share = report.share_of_bandwidth(result))
    json.number(*share);
  else
    json.null();
  json.key("setup_seconds");
  json.number(result.setup_seconds);
  json.key("memory_bytes");
  json.integer(result.memory_bytes);
  json.key("error");
  json.number(result.error);
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
  json.key("results");
  json.open_list();
  for (const BenchResult& result : report.results) write_result(json, report, result);
  json.close_list();
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
