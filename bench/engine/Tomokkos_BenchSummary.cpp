// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchSummary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace Tomokkos::Bench {
namespace {

constexpr const char* our_library = "tomokkos";
constexpr const char* automatic_name = "automatic";
const std::string stored_prefix = "stored:";
constexpr const char* interleaved_mark = ":interleaved";

bool is_stored(const BenchResult& r) { return r.name.variant.rfind(stored_prefix, 0) == 0; }

/// Variant without the prefix that names the transposed method.
std::string plain_variant(const BenchResult& r) {
  return is_stored(r) ? r.name.variant.substr(stored_prefix.size()) : r.name.variant;
}

bool same_group(const BenchResult& a, const BenchResult& b) {
  return a.name.matrix == b.name.matrix && a.name.operation == b.name.operation &&
         a.name.vectors == b.name.vectors && a.name.scalar == b.name.scalar &&
         a.name.backend == b.name.backend;
}

/// True for candidates whose CSR entries are interleaved. `automatic` cannot choose them.
bool is_interleaved(const BenchResult& r) {
  return r.name.variant.find(interleaved_mark) != std::string::npos;
}

bool reads_csr_as_it_is(const BenchResult& r) {
  return r.name.library == our_library && r.name.format == "csr" && !is_stored(r) &&
         !is_interleaved(r) && !does_other_work(r);
}

using Group = std::vector<const BenchResult*>;

/// Results of one operation, number of vectors and scalar, grouped by matrix in the order of the
/// report.
struct Table {
  std::string operation, scalar;
  int vectors = 1;
  std::vector<std::string> matrices;
  std::map<std::string, Group> groups;
};

std::vector<Table> tables_of(const BenchReport& report) {
  std::vector<Table> tables;
  for (const BenchResult& r : report.results) {
    if (r.name.operation == "transpose") continue;
    auto table = std::find_if(tables.begin(), tables.end(), [&](const Table& t) {
      return t.operation == r.name.operation && t.vectors == r.name.vectors &&
             t.scalar == r.name.scalar;
    });
    if (table == tables.end())
      table = tables.insert(tables.end(),
                            Table{r.name.operation, r.name.scalar, r.name.vectors, {}, {}});
    Group& group = table->groups[r.name.matrix];
    if (group.empty()) table->matrices.push_back(r.name.matrix);
    group.push_back(&r);
  }
  return tables;
}

PeerSummary compare(const BenchReport& report, const Table& table, const std::string& library) {
  PeerSummary summary{table.operation, table.scalar, library, table.vectors};
  double logs = 0, weighted_logs = 0, weights = 0;
  for (const std::string& matrix : table.matrices) {
    const Group& group = table.groups.at(matrix);
    const auto of = [&](const std::string& who) {
      return fastest(group, [&](const BenchResult& r) {
        return r.name.library == who && !does_other_work(r);
      });
    };
    const BenchResult *ours = of(our_library), *theirs = of(library);
    if (ours == nullptr || theirs == nullptr) continue;
    const MatrixInfo* info = report.find_matrix(matrix);
    const double weight = info != nullptr ? static_cast<double>(info->rows.nonzeros) : 0.0;
    const double log = std::log(theirs->seconds_median / ours->seconds_median);
    ++summary.matrices;
    logs += log;
    weights += weight;
    weighted_logs += weight * log;
  }
  if (summary.matrices > 0) summary.geometric_mean = std::exp(logs / summary.matrices);
  if (weights > 0) summary.entry_weighted_mean = std::exp(weighted_logs / weights);
  return summary;
}

AutomaticSummary judge(const Table& table, const std::string& format) {
  AutomaticSummary summary{table.operation, table.scalar, format, table.vectors, {}};
  const bool of_variants = format != automatic_name;
  const auto is_choice = [&](const BenchResult& r) {
    return r.name.library == our_library && r.name.format == format &&
           (!of_variants || plain_variant(r) == automatic_name);
  };
  const bool asked_for =
      std::any_of(table.groups.begin(), table.groups.end(),
                  [&](const auto& entry) { return fastest(entry.second, is_choice) != nullptr; });
  if (!asked_for) return summary;
  for (const std::string& matrix : table.matrices) {
    const Group& group = table.groups.at(matrix);
    const BenchResult* chosen = fastest(group, is_choice);
    const BenchResult* best = fastest(group, [&](const BenchResult& r) {
      return r.name.library == our_library && !is_choice(r) && !is_interleaved(r) &&
             !does_other_work(r) && (!of_variants || r.name.format == format);
    });
    if (best == nullptr) continue;
    // A choice that failed or was wrong counts as infinitely far from the best.
    if (chosen == nullptr) {
      summary.matrices.push_back({matrix, "nothing right",
                                  best->name.format + ' ' + best->name.variant,
                                  std::numeric_limits<double>::infinity()});
      continue;
    }
    // The chosen variant is also measured under its own name, with the same kernel and the same
    // parameters. The better of the two measurements counts.
    const BenchResult* itself = fastest(group, [&](const BenchResult& r) {
      return r.name.library == our_library &&
             r.name.format + ' ' + plain_variant(r) == chosen->choice;
    });
    const double seconds = itself != nullptr
                               ? std::min(chosen->seconds_median, itself->seconds_median)
                               : chosen->seconds_median;
    summary.matrices.push_back({matrix, chosen->name.variant,
                                best->name.format + ' ' + best->name.variant,
                                seconds / best->seconds_median});
  }
  return summary;
}

}  // namespace

Payback payback_of(const BenchReport& report, const BenchResult& result) {
  Payback payback;
  if (result.name.operation == "transpose") return payback;
  if (result.seconds_median > 0)
    payback.setup_products = result.setup_seconds / result.seconds_median;
  Group group;
  for (const BenchResult& other : report.results)
    if (same_group(result, other)) group.push_back(&other);
  const BenchResult* base = fastest(group, reads_csr_as_it_is);
  if (base == nullptr) return payback;
  payback.comparable = true;
  if (base == &result)
    payback.after = 0;
  else if (result.seconds_median < base->seconds_median)
    payback.after = result.setup_seconds / (base->seconds_median - result.seconds_median);
  return payback;
}

int AutomaticSummary::within_5_percent() const {
  return static_cast<int>(
      std::count_if(matrices.begin(), matrices.end(),
                    [](const AutomaticChoice& choice) { return choice.to_best <= 1.05; }));
}

BenchSummary summarize(const BenchReport& report) {
  BenchSummary summary;
  for (const Table& table : tables_of(report)) {
    std::vector<std::string> libraries;
    for (const auto& [matrix, group] : table.groups)
      for (const BenchResult* r : group)
        if (r->name.library != our_library &&
            std::find(libraries.begin(), libraries.end(), r->name.library) == libraries.end())
          libraries.push_back(r->name.library);
    std::sort(libraries.begin(), libraries.end());
    for (const std::string& library : libraries) {
      PeerSummary peer = compare(report, table, library);
      if (peer.matrices > 0) summary.to_peers.push_back(std::move(peer));
    }
    for (const char* format : {"csr", "block_circulant", automatic_name}) {
      AutomaticSummary choice = judge(table, format);
      if (!choice.matrices.empty()) summary.automatic.push_back(std::move(choice));
    }
  }
  return summary;
}

}  // namespace Tomokkos::Bench
