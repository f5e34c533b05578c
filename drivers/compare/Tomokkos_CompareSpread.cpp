// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_CompareCase.hpp>
#include <Tomokkos_CompareSpread.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <set>
#include <sstream>

namespace Tomokkos {
namespace {

/// Names to combine: \p chosen, or \p all if there are none.
std::vector<std::string> chosen_names(const char* option, const std::vector<std::string>& chosen,
                                      const std::vector<std::string>& all) {
  for (const std::string& name : chosen)
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      std::string allowed;
      for (const std::string& each : all) allowed += (allowed.empty() ? "" : ", ") + each;
      throw ConfigError(std::string(option) + ": \"" + name + "\" is not one of " + allowed);
    }
  return chosen.empty() ? all : chosen;
}

struct Combination {
  std::string forward, back, back_variant;  // back_variant: of a stored transpose, otherwise empty
  int sections = 0;                         // 0: the default
  CompareCase run;

  std::string back_name() const { return back_variant.empty() ? back : back + ", " + back_variant; }
};

bool has_sections(const std::string& variant) {
  return variant == to_string(SpmvVariant::merge_path) ||
         variant == to_string(SpmvVariant::merge_atomic);
}

std::vector<Combination> combinations_of(const SpreadStudy& study,
                                         const ConfigNode& configuration) {
  std::vector<std::string> variants, methods;
  for (const auto& [variant, name] : EnumNames<SpmvVariant>::names)
    if (variant != SpmvVariant::automatic) variants.emplace_back(name);
  for (const TransposeMethod method : methods_of(OperatorWish{}))
    if (method != TransposeMethod::automatic) methods.emplace_back(to_string(method));
  const auto forward = chosen_names("--forward", study.forward, variants);
  const auto back = chosen_names("--back", study.back, methods);

  std::vector<Combination> result;
  const auto add = [&](const std::string& variant, const std::string& method,
                       const std::string& back_variant, int sections) {
    Combination each{variant, method, back_variant, sections,
                     case_with_operator(variant + " and " + method, configuration, "csr")};
    const auto set = [&](const char* key, const ConfigNode& value) {
      set_in(each.run.configuration, "operator", key, value);
    };
    set("variant", ConfigNode::text(variant));
    set("transpose", ConfigNode::text(method));
    if (!back_variant.empty()) set("transpose_variant", ConfigNode::text(back_variant));
    if (sections > 0) set("sections", ConfigNode::integer(sections));
    result.push_back(std::move(each));
  };
  for (const std::string& variant : forward)
    for (const std::string& method : back) {
      const bool is_stored = method == to_string(TransposeMethod::stored);
      for (const std::string& back_variant :
           is_stored ? forward : std::vector<std::string>{std::string()}) {
        if (study.sections.empty() || !(has_sections(variant) || has_sections(back_variant)))
          add(variant, method, back_variant, 0);
        else
          for (const int sections : study.sections) add(variant, method, back_variant, sections);
      }
    }
  return result;
}

/// Results of the runs of a combination.
struct Spread {
  std::vector<double> sums;
  std::set<std::string> bits;

  double mean() const {
    double sum = 0;
    for (const double each : sums) sum += each;
    return sum / static_cast<double>(sums.size());
  }
  /// Distance of the largest sum from the smallest, in units of the mean.
  double width() const {
    const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
    return *least == *most ? 0 : (*most - *least) / std::abs(mean());
  }
};

/// Result of a run: its last iterate.
const VectorDigest& result_of(const RunRecord& record, const std::string& name) {
  if (record.iterates.empty()) throw Error(name + ": the run had no iterate");
  return record.iterates.back().x;
}

std::string exact_number(double value) {
  std::ostringstream text;
  text << std::setprecision(17) << value;
  return text.str();
}

}  // namespace

constexpr std::string_view csv_titles =
    "forward,back,back_variant,sections,run,sum,norm,bits,iterations";

int study_spread(const SpreadStudy& study, const RunConfig& config,
                 const ConfigNode& configuration) {
  if (!uses_transpose(config.solver.kind()))
    throw ConfigError("--runs combines products with transposed products; solver.type: " +
                      std::string(to_string(config.solver.kind())) + " has none");
  const std::vector<Combination> combinations = combinations_of(study, configuration);
  if (!study.sections.empty() &&
      std::none_of(combinations.begin(), combinations.end(),
                   [](const Combination& each) { return each.sections > 0; }))
    throw ConfigError(
        "--sections: applies only to merge_path and merge_atomic; name one in --forward");
  std::string csv = std::string(csv_titles) + '\n';
  // An interrupted study keeps what it has. The first write tells now rather than after hours if
  // the file cannot be written.
  const OutputKind table{"a table of tomokkos compare", [](const std::filesystem::path& file) {
                           return Impl::first_bytes(file, csv_titles.size()) == csv_titles;
                         }};
  const auto write_csv = [&](bool is_last = false) {
    if (study.csv.empty() || (!is_last && AtomicFile::is_stream(study.csv))) return;
    AtomicFile file(study.csv, table);
    file.write(csv);
    file.commit();
  };
  write_csv();

  const InterruptGuard guard;
  double reference = 0;
  bool has_reference = false, tried_reference = false;
  std::vector<std::string> refused;
  int done = 0, failed = 0;
  std::printf("%-12s  %-21s  %-8s  %-4s  %-14s  %-9s  %-11s  %s\n", "A x", "A' y", "sections",
              "runs", "mean sum", "spread", "from double", "bits");
  for (const Combination& each : combinations) {
    Spread spread;
    CaseOutcome outcome;
    for (int run = 0; run < study.runs && outcome.status == exit_done; ++run) {
      const auto record = run_case(each.run, false, outcome);
      if (!record) break;
      const VectorDigest& x = result_of(*record, each.run.name);
      spread.sums.push_back(x.sum.value());
      spread.bits.insert(x.hash);
      csv += each.forward + ',' + each.back + ',' + each.back_variant + ',' +
             (each.sections > 0 ? std::to_string(each.sections) : std::string()) + ',' +
             std::to_string(run + 1) + ',' + exact_number(*x.sum) + ',' + exact_number(x.norm) +
             ',' + x.hash + ',' + std::to_string(record->iterates.back().iteration) + '\n';
    }
    write_csv();
    if (outcome.status == exit_bad_input) {
      refused.push_back(each.forward + " and " + each.back_name() + ": " + outcome.message);
      continue;
    }
    if (outcome.status != exit_done) {
      ++failed;
      std::printf("%-12s  %-21s  failed: %s\n", each.forward.c_str(), each.back_name().c_str(),
                  outcome.message.c_str());
      continue;
    }
    if (!tried_reference) {
      tried_reference = true;
      // A run in double stands for the exact sum.
      CompareCase in_double = each.run;
      set_in(in_double.configuration, "run", "scalar", ConfigNode::text("double"));
      const auto record = run_case(in_double, false, outcome);
      if (record) reference = result_of(*record, "in double").sum.value();
      has_reference = record.has_value();
    }
    ++done;
    const std::string from_double =
        has_reference ? [&] {
          char text[32];
          std::snprintf(text, sizeof text, "%.1e",
                        std::abs(spread.mean() - reference) / std::abs(reference));
          return std::string(text);
        }()
                      : std::string("-");
    std::printf(
        "%-12s  %-21s  %-8s  %-4zu  %-14.8g  %-9.1e  %-11s  %s\n", each.forward.c_str(),
        each.back_name().c_str(), each.sections > 0 ? std::to_string(each.sections).c_str() : "-",
        spread.sums.size(), spread.mean(), spread.width(), from_double.c_str(),
        spread.bits.size() == 1 ? "equal"
                                : (std::to_string(spread.bits.size()) + " different").c_str());
    std::fflush(stdout);
  }
  std::printf(
      "\nSums of the last iterate. Spread: the largest minus the smallest sum over the runs, in "
      "units "
      "of the mean.\n");
  for (const std::string& each : refused) std::printf("not possible: %s\n", each.c_str());
  write_csv(true);
  if (done + failed == 0) throw Error("no combination can run this configuration");
  if (!study.csv.empty()) std::printf("wrote %s\n", study.csv.c_str());
  return failed > 0 ? exit_failed : exit_done;
}

}  // namespace Tomokkos
