// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <ostream>
#include <tuple>

#include "Tomokkos_BenchReport.hpp"
#include "Tomokkos_BenchSummary.hpp"

namespace Tomokkos::Bench {
namespace {

constexpr std::size_t num_columns = 18;
using Line = std::array<std::string, num_columns>;

const Line header{"",      "library", "format",  "variant", "median",     "p25",
                  "p75",   "best",    "GFLOP/s", "at best", "GB/s",       "share",
                  "B/nnz", "fill",    "to peer", "setup",   "pays after", "error"};

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

std::string number(const char* pattern, const std::optional<double>& value) {
  return value ? format(pattern, *value) : "-";
}

/// Text for the number of executions after which a conversion has paid for itself.
std::string payback(const BenchReport& report, const BenchResult& result) {
  const Payback payback = payback_of(report, result);
  if (payback.after) return format("%.0f", std::ceil(*payback.after));
  return payback.comparable ? "never" : "-";
}

/// Writes aligned lines. The first \p words columns hold words, the others numbers.
template <std::size_t count>
void write_lines(std::ostream& out, const std::vector<std::array<std::string, count>>& lines,
                 std::size_t words) {
  std::array<std::size_t, count> widths{};
  for (const auto& line : lines)
    for (std::size_t c = 0; c < count; ++c) widths[c] = std::max(widths[c], line[c].size());
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t c = 0; c < count; ++c) {
      const std::string padding(widths[c] - line[c].size(), ' ');
      // Words are aligned left, numbers right.
      text += c < words ? line[c] + padding : padding + line[c];
      text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  }
}

/// Name of an operation with its number of vectors, for example `spmm, 16 vectors`.
std::string operation_of(const std::string& operation, int vectors) {
  return vectors == 1 ? operation : Impl::text("{}, {} vectors", operation, vectors);
}

using SolveLine = std::array<std::string, 11>;

const SolveLine solve_header{"library",   "format",       "variant",      "an iteration",
                             "F3s share", "product",      "overhead",     "timed",
                             "residual",  "to tolerance", "residual then"};

/// Writes the table of the solvers, which follows the table of times.
void write_solves(std::ostream& out, const BenchReport& report,
                  const std::vector<const BenchResult*>& group) {
  std::vector<SolveLine> lines{solve_header};
  for (const BenchResult* result : group) {
    if (!result->solve) continue;
    const SolveFigures& solve = *result->solve;
    lines.push_back(
        {result->name.library, result->name.format, result->name.variant,
         seconds(result->seconds_median), number("%.3f", report.common_share(*result)),
         seconds(solve.product_seconds), number("%.3f", BenchReport::overhead_share(*result)),
         std::to_string(solve.timed_iterations), format("%.3e", solve.timed_residual),
         Impl::text("{} {}", solve.iterations, solve.reason), format("%.3e", solve.residual)});
  }
  if (lines.size() > 1) write_lines(out, lines, 3);
}

using TranspositionLine = std::array<std::string, 6>;

const TranspositionLine transposition_header{"library", "format",    "variant",
                                             "Gnnz/s",  "workspace", "sorted"};

/// Writes the table of the transpositions, which follows the table of times.
void write_transpositions(std::ostream& out, const BenchReport& report,
                          const std::vector<const BenchResult*>& group) {
  std::vector<TranspositionLine> lines{transposition_header};
  for (const BenchResult* result : group) {
    if (!result->transposition) continue;
    std::optional<double> nonzeros = report.nonzeros_per_second(*result), megabytes;
    if (nonzeros) *nonzeros *= 1e-9;
    if (const auto& bytes = result->transposition->workspace_bytes)
      megabytes = 1e-6 * static_cast<double>(*bytes);
    lines.push_back({result->name.library, result->name.format, result->name.variant,
                     number("%.3f", nonzeros), number("%.1f MB", megabytes),
                     result->transposition->sorted ? "yes" : "no"});
  }
  if (lines.size() > 1) write_lines(out, lines, 3);
}

using SpreadLine = std::array<std::string, 6>;

const SpreadLine spread_header{"library", "format", "variant", "runs", "spread", "rms"};

/// Writes the differences between the results of several runs, after the table of times.
void write_spreads(std::ostream& out, const std::vector<const BenchResult*>& group) {
  std::vector<SpreadLine> lines{spread_header};
  for (const BenchResult* result : group) {
    if (!result->spread) continue;
    const SpreadFigures& spread = *result->spread;
    const auto figure = [](double value) { return value == 0 ? "0" : format("%.2e", value); };
    lines.push_back({result->name.library, result->name.format, result->name.variant,
                     std::to_string(spread.runs), figure(spread.largest), figure(spread.rms)});
  }
  if (lines.size() > 1) write_lines(out, lines, 3);
}

using QualityLine = std::array<std::string, 4>;

const QualityLine quality_header{"library", "format", "variant", "rmse to plain"};

/// Writes the effect of 16-bit values on the images of iterations, after the table of times.
void write_qualities(std::ostream& out, const std::vector<const BenchResult*>& group) {
  std::vector<QualityLine> lines{quality_header};
  for (const BenchResult* result : group)
    if (result->rmse_to_plain)
      lines.push_back({result->name.library, result->name.format, result->name.variant,
                       format("%.3e", *result->rmse_to_plain)});
  if (lines.size() > 1) write_lines(out, lines, 3);
}

void write_group(std::ostream& out, const BenchReport& report,
                 std::vector<const BenchResult*> group) {
  const CandidateName& name = group.front()->name;
  out << '\n'
      << name.matrix << ", " << operation_of(name.operation, name.vectors) << ", " << name.scalar
      << ", " << name.backend << ": "
      << format("%.1f", 1e-6 * static_cast<double>(group.front()->bytes_model)) << " MB\n";
  std::stable_sort(group.begin(), group.end(), [](const BenchResult* a, const BenchResult* b) {
    return a->seconds_median < b->seconds_median;
  });
  const BenchResult* best =
      fastest(group, [](const BenchResult& r) { return !does_other_work(r); });
  const BenchResult* best_peer =
      fastest(group, [](const BenchResult& r) { return r.name.library != "tomokkos"; });

  std::vector<Line> lines{header};
  for (const BenchResult* result : group) {
    const auto share = report.share_of_bandwidth(*result);
    lines.push_back(
        {std::string(result == best ? "*" : "") + (is_uncertain(*result) ? "~" : ""),
         result->name.library, result->name.format, result->name.variant,
         seconds(result->seconds_median), seconds(result->seconds_p25),
         seconds(result->seconds_p75), seconds(result->seconds_best),
         number("%.1f", result->gigaflops_per_second()), number("%.1f", result->gigaflops_best()),
         format("%.1f", result->gigabytes_per_second()),
         share                            ? format("%.3f", *share)
         : report.bandwidth.reference > 0 ? "in cache"
                                          : "-",
         number("%.2f", report.bytes_per_nonzero(*result)), format("%.2f", result->fill),
         best_peer ? format("%.2fx", best_peer->seconds_median / result->seconds_median) : "-",
         seconds(result->setup_seconds), payback(report, *result),
         is_correct(*result) ? format("%.3f", result->error)
                             : "WRONG " + format("%.3g", result->error)});
  }
  write_lines(out, lines, 4);
  write_solves(out, report, group);
  write_transpositions(out, report, group);
  write_spreads(out, group);
  write_qualities(out, group);
}

/// Writes a line for each block-circulant matrix.
void write_circulants(std::ostream& out, const BenchReport& report) {
  for (const MatrixInfo& matrix : report.matrices) {
    if (!matrix.circulant) continue;
    const CirculantInfo& c = *matrix.circulant;
    const double ratio =
        c.bytes > 0 ? static_cast<double>(c.csr_bytes) / static_cast<double>(c.bytes) : 0.0;
    out << matrix.name << ": " << c.blocks << " x " << c.blocks << " blocks of " << c.block_rows
        << " x " << c.block_columns << ", " << c.stored << " entries stored for "
        << matrix.rows.nonzeros << ", rho " << format("%.2f", c.reuse) << ", "
        << format("%.1f", 1e-6 * static_cast<double>(c.bytes)) << " MB, CSR would take "
        << format("%.1f", ratio) << " times as much\n";
  }
}

void write_summary(std::ostream& out, const BenchSummary& summary) {
  if (!summary.to_peers.empty())
    out << "\nBest of a library over best of ours, geometric mean over the matrices (and with each"
           "\nweighted by its entries):\n";
  for (const PeerSummary& peer : summary.to_peers)
    out << "  " << operation_of(peer.operation, peer.vectors) << ", " << peer.scalar << ", "
        << peer.library << ": " << format("%.3f", peer.geometric_mean) << " ("
        << format("%.3f", peer.entry_weighted_mean) << "), " << peer.matrices
        << (peer.matrices == 1 ? " matrix\n" : " matrices\n");
  if (!summary.automatic.empty()) out << "\nWhat `automatic` chooses over the best of ours:\n";
  for (const AutomaticSummary& choice : summary.automatic) {
    out << "  " << operation_of(choice.operation, choice.vectors) << ", " << choice.scalar << ", "
        << (choice.format == "automatic" ? "format" : "variant of " + choice.format)
        << ": within 5 % on " << choice.within_5_percent() << " of " << choice.matrices.size()
        << '\n';
    for (const AutomaticChoice& matrix : choice.matrices)
      if (matrix.to_best > 1.05)
        out << "    " << matrix.matrix << ": " << matrix.chosen << " takes "
            << format("%.2f", matrix.to_best) << " of " << matrix.best << '\n';
  }
}

/// Writes the number of uncertain times and advice on how to measure better.
void write_uncertainty(std::ostream& out, const BenchReport& report) {
  const auto count = std::count_if(report.results.begin(), report.results.end(), is_uncertain);
  if (count == 0) return;
  out << "\n~ " << count << " of " << report.results.size()
      << (report.results.size() == 1 ? " time is" : " times are")
      << " uncertain: p25 and p75 differ by more than 20 %. Means over them are, too. Measure on a"
         "\n  machine that does nothing else, with fewer threads than it has cores, or with more "
         "bench.repetitions.\n";
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

  write_circulants(out, report);
  using Key = std::tuple<std::string, std::string, int, std::string, std::string>;
  const auto key = [](const BenchResult& r) {
    return Key(r.name.matrix, r.name.operation, r.name.vectors, r.name.scalar, r.name.backend);
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

  write_summary(out, summarize(report));
  write_uncertainty(out, report);
  if (!report.skipped.empty()) out << "\nNot measured:\n";
  for (const SkippedCandidate& skipped : report.skipped)
    out << "  " << skipped.name.matrix << ", "
        << operation_of(skipped.name.operation, skipped.name.vectors) << ", " << skipped.name.scalar
        << ", " << skipped.name.library
        << (skipped.name.variant.empty() ? "" : " " + skipped.name.variant) << ": "
        << skipped.reason << '\n';
  if (!report.absent_peers.empty()) {
    out << "\nAbsent peers (not built in, or not for this backend):";
    for (const std::string& peer : report.absent_peers) out << ' ' << peer;
    out << '\n';
  }
}

}  // namespace Tomokkos::Bench
