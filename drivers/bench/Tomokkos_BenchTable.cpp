// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>
#include <tuple>

#include "Tomokkos_BenchReport.hpp"

namespace Tomokkos::Bench {
namespace {

constexpr std::size_t num_columns = 12;
using Line = std::array<std::string, num_columns>;

const Line header{"",    "library", "format", "variant", "median", "p25",
                  "p75", "GB/s",    "share",  "to peer", "setup",  "error"};

std::string format(const char* pattern, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

std::string seconds(double value) {
  if (value >= 1) return format("%.3f s", value);
  if (value >= 1e-3) return format("%.3f ms", 1e3 * value);
  return format("%.2f us", 1e6 * value);
}

bool is_right(const BenchResult& result) { return result.error <= 1; }

/// The fastest right one of those that \p select accepts, or nullptr.
template <class Select>
const BenchResult* fastest(const std::vector<const BenchResult*>& group, const Select& select) {
  const BenchResult* best = nullptr;
  for (const BenchResult* result : group)
    if (is_right(*result) && select(*result) &&
        (best == nullptr || result->seconds_median < best->seconds_median))
      best = result;
  return best;
}

void write_lines(std::ostream& out, const std::vector<Line>& lines) {
  std::array<std::size_t, num_columns> widths{};
  for (const Line& line : lines)
    for (std::size_t c = 0; c < num_columns; ++c) widths[c] = std::max(widths[c], line[c].size());
  for (const Line& line : lines) {
    std::string text;
    for (std::size_t c = 0; c < num_columns; ++c) {
      const std::string padding(widths[c] - line[c].size(), ' ');
      // Words to the left, figures to the right.
      text += c < 4 ? line[c] + padding : padding + line[c];
      text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  }
}

void write_group(std::ostream& out, const BenchReport& report,
                 std::vector<const BenchResult*> group) {
  const CandidateName& name = group.front()->name;
  out << '\n'
      << name.matrix << ", " << name.operation << ", " << name.scalar << ", " << name.backend
      << ": " << format("%.1f", 1e-6 * static_cast<double>(group.front()->bytes_model)) << " MB\n";
  std::stable_sort(group.begin(), group.end(), [](const BenchResult* a, const BenchResult* b) {
    return a->seconds_median < b->seconds_median;
  });
  const BenchResult* best = fastest(group, [](const BenchResult&) { return true; });
  const BenchResult* best_peer =
      fastest(group, [](const BenchResult& r) { return r.name.library != "tomokkos"; });

  std::vector<Line> lines{header};
  for (const BenchResult* result : group) {
    const auto share = report.share_of_bandwidth(*result);
    lines.push_back(
        {result == best ? "*" : "", result->name.library, result->name.format, result->name.variant,
         seconds(result->seconds_median), seconds(result->seconds_p25),
         seconds(result->seconds_p75), format("%.1f", result->gigabytes_per_second()),
         share                            ? format("%.3f", *share)
         : report.bandwidth.reference > 0 ? "in cache"
                                          : "-",
         best_peer ? format("%.2fx", best_peer->seconds_median / result->seconds_median) : "-",
         seconds(result->setup_seconds),
         is_right(*result) ? format("%.3f", result->error)
                           : "WRONG " + format("%.3g", result->error)});
  }
  write_lines(out, lines);
}

}  // namespace

void write_table(std::ostream& out, const BenchReport& report) {
  const Bandwidth& bandwidth = report.bandwidth;
  out << report.machine.device << ", " << report.machine.backend << ", " << report.machine.threads
      << " host threads, last cache "
      << format("%.1f", 1e-6 * static_cast<double>(report.machine.last_cache_bytes)) << " MB\n"
      << "GB/s in this run: copy " << format("%.1f", bandwidth.copy) << ", triad "
      << format("%.1f", bandwidth.triad) << ", read " << format("%.1f", bandwidth.read)
      << (bandwidth.reference > 0 ? "; shares refer to " + format("%.1f", bandwidth.reference)
                                  : "; no shares: too little memory to measure beyond the caches")
      << '\n';

  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  const auto key = [](const BenchResult& r) {
    return Key(r.name.matrix, r.name.operation, r.name.scalar, r.name.backend);
  };
  std::vector<Key> order;
  for (const BenchResult& result : report.results)
    if (std::find(order.begin(), order.end(), key(result)) == order.end())
      order.push_back(key(result));
  for (const Key& wanted : order) {
    std::vector<const BenchResult*> group;
    for (const BenchResult& result : report.results)
      if (key(result) == wanted) group.push_back(&result);
    write_group(out, report, group);
  }

  if (!report.skipped.empty()) out << "\nNot measured:\n";
  for (const SkippedCandidate& skipped : report.skipped)
    out << "  " << skipped.name.matrix << ", " << skipped.name.operation << ", "
        << skipped.name.scalar << ", " << skipped.name.library
        << (skipped.name.variant.empty() ? "" : " " + skipped.name.variant) << ": "
        << skipped.reason << '\n';
  if (!report.absent_peers.empty()) {
    out << "\nAbsent peers (not built in, or not for this backend):";
    for (const std::string& peer : report.absent_peers) out << ' ' << peer;
    out << '\n';
  }
}

}  // namespace Tomokkos::Bench
