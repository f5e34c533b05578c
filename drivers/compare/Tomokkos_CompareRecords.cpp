// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CompareRecords.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_KeyHelp.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace Tomokkos {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string number(double value) { return Impl::formatted("%.3g", value); }

/// Difference in units of \p bound. Values that are not finite prove nothing: they never agree.
double in_units(double a, double b, double bound) {
  if (!std::isfinite(a) || !std::isfinite(b)) return infinity;
  if (a == b) return 0;
  const double units = std::abs(a - b) / bound;
  return std::isfinite(units) ? units : infinity;
}

/// Difference of norms and sums, if each entry may differ by \p bound.
double digest_difference(const VectorDigest& a, const VectorDigest& b, double bound) {
  const auto size = static_cast<double>(a.size);
  const double sums = a.sum && b.sum ? in_units(*a.sum, *b.sum, bound * size) : 0;
  // The norms differ at most by the norm of the difference.
  return std::max(sums, in_units(a.norm, b.norm, bound * std::sqrt(size)));
}

double product_difference(const ProductRecord& a, const ProductRecord& b) {
  if (a.value.size != b.value.size || a.value.samples.size() != b.value.samples.size())
    return infinity;
  double largest = 0;
  double bounds = 0;
  for (std::size_t i = 0; i < a.bounds.size(); ++i) {
    largest = std::max(largest, in_units(a.value.samples[i], b.value.samples[i], a.bounds[i]));
    bounds += a.bounds[i] * a.bounds[i];
  }
  const double count = static_cast<double>(std::max<std::size_t>(a.bounds.size(), 1));
  return std::max(largest, digest_difference(a.value, b.value, std::sqrt(bounds / count)));
}

/// Unit roundoff of a precision by name.
double unit_roundoff(const std::string& scalar) { return scalar == "double" ? 0x1p-53 : 0x1p-24; }

/// Distance of iterates that the rounding of sums and steps alone explains, even where rounding the
/// data changes nothing.
double least_distance(const IterateRecord& iterate, const std::string& scalar) {
  double squares = 0;
  for (const double x : iterate.x.samples) squares += x * x;
  const auto count = static_cast<double>(std::max<std::size_t>(iterate.x.samples.size(), 1));
  return 32 * unit_roundoff(scalar) * std::sqrt(squares / count);
}

double iterate_difference(const IterateRecord& a, const IterateRecord& b,
                          const RunRecord& reference) {
  if (a.x.size != b.x.size || a.x.samples.size() != b.x.samples.size()) return infinity;
  const auto count = static_cast<double>(std::max<std::size_t>(a.x.samples.size(), 1));
  double distance = 0, largest = 0;
  for (std::size_t i = 0; i < a.x.samples.size(); ++i) {
    const double difference = std::abs(a.x.samples[i] - b.x.samples[i]);
    if (!std::isfinite(difference)) return infinity;
    distance += difference * difference;
    largest = std::max(largest, difference);
  }
  const double least = least_distance(a, reference.scalar);
  const double tolerance = reference.is_recursive ? recursive_tolerance : iterate_tolerance;
  const double allowed = std::max(tolerance * a.rounding, least);
  const double of_an_entry =
      std::max(std::min(sample_tolerance * tolerance, largest_tolerance) * a.rounding,
               sample_tolerance * least);
  return std::max({in_units(std::sqrt(distance / count), 0, allowed),
                   in_units(largest, 0, of_an_entry), digest_difference(a.x, b.x, of_an_entry)});
}

/// Iterate of \p record that \p iterate of another record stands beside; null: there is none.
const IterateRecord* same_iterate(const RunRecord& record, const IterateRecord& iterate) {
  const auto same =
      std::find_if(record.iterates.begin(), record.iterates.end(), [&](const auto& each) {
        return each.solve == iterate.solve && each.iteration == iterate.iteration;
      });
  return same == record.iterates.end() ? nullptr : &*same;
}

void compare_products(const RunRecord& reference, const RunRecord& other,
                      RecordComparison& result) {
  if (reference.products.size() != other.products.size())
    result.failures.push_back("it has " + std::to_string(other.products.size()) +
                              " products, the reference " +
                              std::to_string(reference.products.size()));
  const std::size_t count = std::min(reference.products.size(), other.products.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ProductRecord &a = reference.products[i], &b = other.products[i];
    const double difference = a.name == b.name ? product_difference(a, b) : infinity;
    result.products.push_back({a.name, difference});
    if (!(difference <= 1))
      result.failures.push_back(a.name + " differs by " + number(difference) +
                                " times its rounding bound");
    if (result.equal_bits && a.value.hash != b.value.hash) result.equal_bits = false;
  }
}

void compare_iterates(const RunRecord& reference, const RunRecord& other,
                      RecordComparison& result) {
  for (const IterateRecord& a : reference.iterates) {
    const IterateRecord* const same = same_iterate(other, a);
    if (same == nullptr) continue;
    ++result.iterates;
    const IterateNumber here{a.solve, a.iteration};
    const double difference = iterate_difference(a, *same, reference);
    if (difference > result.largest_iterate) {
      result.largest_iterate = difference;
      result.largest_at = here;
    }
    if (!(difference <= 1) && !result.first) result.first = here;
    if (result.equal_bits && a.x.hash != same->x.hash && !result.first_other_bits) {
      result.equal_bits = false;
      result.first_other_bits = here;
    }
  }
  if (result.first)
    result.failures.push_back(describe(*result.first) +
                              " is the first that differs by more than rounding explains; the "
                              "largest difference is " +
                              number(result.largest_iterate) + " times what is allowed for " +
                              describe(result.largest_at));
  if (result.iterates == 0 && !reference.iterates.empty())
    result.failures.push_back("it has no iterate that the reference has");
}

/// Iterations from one check to the next; 0 if the record does not tell.
int check_every_of(const RunRecord& record) {
  const ConfigNode* const every = record.identity.configuration.at("solver.check_every");
  return every != nullptr && every->is_scalar() ? std::atoi(every->scalar().c_str()) : 0;
}

/// True if rounding explains that a solver with a recursive residual stopped earlier or later: for
/// the same reason, at most one check away or 5 % of the iterations.
bool is_near(const RunRecord& reference, const RecordedEnd& a, const RecordedEnd& b) {
  if (!reference.is_recursive || a.reason != b.reason || a.reason == StopReason::max_iterations)
    return false;
  return std::abs(a.iterations - b.iterations) <=
         std::max(check_every_of(reference), a.iterations / 20);
}

void compare_ends(const RunRecord& reference, const RunRecord& other, RecordComparison& result) {
  if (reference.ends == other.ends) return;
  result.stop_depends_on_rounding = reference.stop_depends_on_rounding;
  if (result.stop_depends_on_rounding) return;
  for (std::size_t i = 0; i < std::min(reference.ends.size(), other.ends.size()); ++i) {
    const RecordedEnd &a = reference.ends[i], &b = other.ends[i];
    if (a == b) continue;
    if (is_near(reference, a, b)) {
      result.stop_depends_on_rounding = true;
      continue;
    }
    result.failures.push_back(
        (reference.ends.size() > 1 ? "column " + std::to_string(i) + ": " : "") +
        "it stopped after iteration " + std::to_string(b.iterations) + " (" +
        std::string(to_string(b.reason)) + "), the reference after iteration " +
        std::to_string(a.iterations) + " (" + std::string(to_string(a.reason)) + ")");
    return;
  }
  if (reference.ends.size() == other.ends.size()) return;
  result.failures.push_back("it solved " + std::to_string(other.ends.size()) +
                            " columns, the reference " + std::to_string(reference.ends.size()));
}

/// Value of a key of the section `operator`, on one line; empty: absent.
std::string operator_text(const RunRecord& record, const std::string& key) {
  const ConfigNode* const value = record.identity.configuration.at("operator." + key);
  if (value == nullptr) return {};
  if (value->is_scalar()) return value->scalar();
  std::string text = to_yaml(*value);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

bool has_plain_values(const RunRecord& record) {
  const std::string values = operator_text(record, "values");
  return values.empty() || values == "plain";
}

/// Keys of the section `operator` that differ and do not change the matrix.
ConfigKeys keys_of_representation(const RunRecord& a, const RunRecord& b) {
  ConfigKeys keys;
  const auto add = [&](const std::string& key) {
    if (operator_text(a, key) != operator_text(b, key)) keys.insert(key);
  };
  const std::string section = "operator.";
  for (const std::string& path : keys_with(Identity::storage)) add(path.substr(section.size()));
  // The precision of the stored values changes the matrix.
  if (has_plain_values(a) && has_plain_values(b)) add("values");
  return keys;
}

bool is_finite(const VectorDigest& digest) {
  return std::isfinite(digest.norm) && std::isfinite(digest.sum.value_or(0)) &&
         std::all_of(digest.samples.begin(), digest.samples.end(),
                     [](double value) { return std::isfinite(value); });
}

/// Name of the first product or iterate of \p record that is not finite; empty: there is none.
std::string first_not_finite(const RunRecord& record) {
  for (const ProductRecord& product : record.products)
    if (!is_finite(product.value)) return product.name;
  for (const IterateRecord& iterate : record.iterates)
    if (!is_finite(iterate.x)) return describe(IterateNumber{iterate.solve, iterate.iteration});
  return {};
}

}  // namespace

std::string describe(const IterateNumber& number) {
  return "iterate " + std::to_string(number.iteration) +
         (number.solve > 0 ? " of column " + std::to_string(number.solve) : "");
}

RecordComparison compare_records(const RunRecord& reference, const RunRecord& other) {
  RecordComparison result;
  if (reference.samples != other.samples) {
    result.failures.push_back("it has " + std::to_string(other.samples) +
                              " samples of a vector, the reference " +
                              std::to_string(reference.samples));
    return result;
  }
  for (const auto& [record, name] :
       {std::pair{&reference, "the reference"}, std::pair{&other, "this run"}})
    if (const std::string where = first_not_finite(*record); !where.empty())
      result.failures.push_back(where + " of " + name +
                                " has values that are not finite, which prove nothing");
  if (reference.backend == other.backend && reference.scalar == other.scalar)
    result.equal_bits = true;
  compare_products(reference, other, result);
  compare_iterates(reference, other, result);
  compare_ends(reference, other, result);
  return result;
}

void require_plausible_bounds(const std::string& reference_file, const RunRecord& reference,
                              const RunRecord& other) {
  constexpr double factor = 100;
  const auto refuse = [&](const std::string& what, double there, double here) {
    throw InputError(reference_file + ": " + what + " is " + number(there) +
                     ", this program computes " + number(here) +
                     "; the record was changed, or is of another matrix");
  };
  for (std::size_t i = 0; i < std::min(reference.products.size(), other.products.size()); ++i) {
    const ProductRecord &a = reference.products[i], &b = other.products[i];
    for (std::size_t k = 0; k < std::min(a.bounds.size(), b.bounds.size()); ++k)
      if (a.bounds[k] > factor * b.bounds[k] || b.bounds[k] > factor * a.bounds[k])
        refuse("products: the rounding bound " + std::to_string(k + 1) + " of " + a.name,
               a.bounds[k], b.bounds[k]);
  }
  // In which iterate a recursion amplifies its rounding most, and how much, is chance: a GPU and a
  // host differ by up to 200 (tests/records).
  const double most = other.is_recursive ? 10 * factor : factor;
  double largest = 0;
  for (const IterateRecord& each : other.iterates) largest = std::max(largest, each.rounding);
  for (const IterateRecord& a : reference.iterates)
    if (const IterateRecord* const b = same_iterate(other, a)) {
      const double measured = other.is_recursive ? largest : b->rounding;
      const double here = std::max(measured, least_distance(*b, other.scalar));
      if (a.rounding > most * here)
        refuse("iterates: the rounding of " + describe(IterateNumber{a.solve, a.iteration}),
               a.rounding, here);
    }
}

std::string other_representation(const RunRecord& record, const RunRecord& other) {
  const ConfigKeys keys = keys_of_representation(record, other);
  if (keys.empty()) return {};
  const std::string format = operator_text(record, "format");
  std::string text = format.empty() ? "no format" : format;
  for (const std::string& key : keys)
    if (key != "format" && key != "values" && !operator_text(record, key).empty())
      text += ", " + key + " " + operator_text(record, key);
  return text;
}

void require_same_run(const std::string& reference_file, const RunRecord& reference,
                      const RunRecord& other) {
  ConfigKeys ignored{"run.ranks"};
  for (const std::string& key : keys_of_representation(reference, other))
    ignored.insert("operator." + key);
  const auto difference = first_difference(reference.identity, other.identity, ignored);
  if (difference)
    throw ConfigError(reference_file + ": this is a record of another run: " + difference->key +
                      " is " + difference->first + " there and " + difference->second + " here");
}

}  // namespace Tomokkos
