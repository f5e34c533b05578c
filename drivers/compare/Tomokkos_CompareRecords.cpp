// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CompareRecords.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_KeyHelp.hpp>
#include <Tomokkos_Text.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace Tomokkos {

namespace {

using Impl::text;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string number(double value) { return Impl::formatted("%.3g", value); }

/// Difference in units of \p bound. Values that are not finite prove nothing: they never agree.
double in_units(double a, double b, double bound) {
  if (!std::isfinite(a) || !std::isfinite(b)) return infinity;
  if (a == b) return 0;
  const double units = std::abs(a - b) / bound;
  return std::isfinite(units) ? units : infinity;
}

/// Largest difference in units of what is allowed: \p bounds for the samples, and for norm and sum
/// what follows if each entry may differ by \p bound.
double largest_difference(const VectorDigest& a, const VectorDigest& b,
                          const std::vector<double>& bounds, double bound) {
  if (a.size != b.size || a.samples.size() != b.samples.size()) return infinity;
  const auto size = static_cast<double>(a.size);
  // The norms differ at most by the norm of the difference.
  double largest = in_units(a.norm, b.norm, bound * std::sqrt(size));
  if (a.sum && b.sum) largest = std::max(largest, in_units(*a.sum, *b.sum, bound * size));
  for (std::size_t i = 0; i < bounds.size(); ++i)
    largest = std::max(largest, in_units(a.samples[i], b.samples[i], bounds[i]));
  return largest;
}

/// Distance of iterates that the rounding of sums and steps alone explains, even where rounding the
/// data changes nothing.
double least_distance(const IterateRecord& iterate, const std::string& scalar) {
  const double unit_roundoff = scalar == "double" ? 0x1p-53 : 0x1p-24;
  return 32 * unit_roundoff * root_mean_square(iterate.x.samples);
}

double iterate_difference(const IterateRecord& a, const IterateRecord& b,
                          const RunRecord& reference) {
  const double least = least_distance(a, reference.scalar);
  const double tolerance = reference.is_recursive ? recursive_tolerance : iterate_tolerance;
  const double of_an_entry =
      std::max(std::min(sample_tolerance * tolerance, largest_tolerance) * a.rounding,
               sample_tolerance * least);
  const std::vector<double> bounds(a.x.samples.size(), of_an_entry);
  const double of_entries = largest_difference(a.x, b.x, bounds, of_an_entry);
  if (of_entries == infinity) return infinity;
  return std::max(of_entries, in_units(root_mean_square(differences(a.x.samples, b.x.samples)), 0,
                                       std::max(tolerance * a.rounding, least)));
}

void compare_products(const RunRecord& reference, const RunRecord& other,
                      RecordComparison& result) {
  if (reference.products.size() != other.products.size())
    result.failures.push_back(text("it has {} products, the reference {}", other.products.size(),
                                   reference.products.size()));
  const std::size_t count = std::min(reference.products.size(), other.products.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ProductRecord &a = reference.products[i], &b = other.products[i];
    const double difference = a.name == b.name ? largest_difference(a.value, b.value, a.bounds,
                                                                    root_mean_square(a.bounds))
                                               : infinity;
    result.products.push_back(difference);
    if (!(difference <= 1))
      result.failures.push_back(
          text("{} differs by {} times its rounding bound", a.name, number(difference)));
    if (result.equal_bits && a.value.hash != b.value.hash) result.equal_bits = false;
  }
}

void compare_iterates(const RunRecord& reference, const RunRecord& other,
                      RecordComparison& result) {
  for (const IterateRecord& a : reference.iterates) {
    const IterateRecord* const same = find_iterate(other, a);
    if (same == nullptr) continue;
    ++result.iterates;
    const double difference = iterate_difference(a, *same, reference);
    if (difference > result.largest_iterate) {
      result.largest_iterate = difference;
      result.largest_at = a;
    }
    if (!(difference <= 1) && !result.first) result.first = a;
    if (result.equal_bits && a.x.hash != same->x.hash && !result.first_other_bits) {
      result.equal_bits = false;
      result.first_other_bits = a;
    }
  }
  if (result.first)
    result.failures.push_back(
        text("{} is the first that differs by more than rounding explains; the largest difference "
             "is {} times what is allowed for {}",
             describe(*result.first), number(result.largest_iterate), describe(result.largest_at)));
  if (result.iterates == 0 && !reference.iterates.empty())
    result.failures.push_back("it has no iterate that the reference has");
}

/// Value of a key of the configuration of \p record on one line; empty: absent.
std::string value_of(const RunRecord& record, const std::string& key) {
  const ConfigNode* const value = record.identity.configuration.at(key);
  if (value == nullptr) return {};
  if (value->is_scalar()) return value->scalar();
  std::string yaml = to_yaml(*value);
  std::replace(yaml.begin(), yaml.end(), '\n', ' ');
  return yaml;
}

/// True if rounding explains that a solver with a recursive residual stopped earlier or later: for
/// the same reason, at most one check away or 5 % of the iterations.
bool is_near(const RunRecord& reference, const RecordedEnd& a, const RecordedEnd& b) {
  if (!reference.is_recursive || a.reason != b.reason || a.reason == StopReason::max_iterations)
    return false;
  // 0 if the record does not tell.
  const int check_every = std::atoi(value_of(reference, "solver.check_every").c_str());
  return std::abs(a.iterations - b.iterations) <= std::max(check_every, a.iterations / 20);
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
        (reference.ends.size() > 1 ? text("column {}: ", i) : "") +
        text("it stopped after iteration {} ({}), the reference after iteration {} ({})",
             b.iterations, to_string(b.reason), a.iterations, to_string(a.reason)));
    return;
  }
  if (reference.ends.size() == other.ends.size()) return;
  result.failures.push_back(
      text("it solved {} columns, the reference {}", other.ends.size(), reference.ends.size()));
}

/// Keys of the section `operator` that differ and do not change the matrix.
ConfigKeys keys_of_representation(const RunRecord& a, const RunRecord& b) {
  const auto has_plain_values = [](const RunRecord& record) {
    const std::string values = value_of(record, "operator.values");
    return values.empty() || values == "plain";
  };
  ConfigKeys keys = keys_with(Identity::storage);
  // The precision of the stored values changes the matrix.
  if (has_plain_values(a) && has_plain_values(b)) keys.insert("operator.values");
  std::erase_if(keys, [&](const std::string& key) { return value_of(a, key) == value_of(b, key); });
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
    if (!is_finite(iterate.x)) return describe(iterate);
  return {};
}

}  // namespace

RecordComparison compare_records(const RunRecord& reference, const RunRecord& other) {
  RecordComparison result;
  if (reference.samples != other.samples) {
    result.failures.push_back(
        text("it has {} samples of a vector, the reference {}", other.samples, reference.samples));
    return result;
  }
  for (const auto& [record, name] :
       {std::pair{&reference, "the reference"}, std::pair{&other, "this run"}})
    if (const std::string where = first_not_finite(*record); !where.empty())
      result.failures.push_back(
          text("{} of {} has values that are not finite, which prove nothing", where, name));
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
    throw InputError(
        text("{}: {} is {}, this program computes {}; the record was changed, or is "
             "of another matrix",
             reference_file, what, number(there), number(here)));
  };
  for (std::size_t i = 0; i < std::min(reference.products.size(), other.products.size()); ++i) {
    const ProductRecord &a = reference.products[i], &b = other.products[i];
    for (std::size_t k = 0; k < std::min(a.bounds.size(), b.bounds.size()); ++k)
      if (a.bounds[k] > factor * b.bounds[k] || b.bounds[k] > factor * a.bounds[k])
        refuse(text("products: the rounding bound {} of {}", k + 1, a.name), a.bounds[k],
               b.bounds[k]);
  }
  // In which iterate a recursion amplifies its rounding most, and how much, is chance: a GPU and a
  // host differ by up to 200 (tests/records).
  const double most = other.is_recursive ? 10 * factor : factor;
  double largest = 0;
  for (const IterateRecord& each : other.iterates) largest = std::max(largest, each.rounding);
  for (const IterateRecord& a : reference.iterates)
    if (const IterateRecord* const b = find_iterate(other, a)) {
      const double measured = other.is_recursive ? largest : b->rounding;
      const double here = std::max(measured, least_distance(*b, other.scalar));
      if (a.rounding > most * here)
        refuse("iterates: the rounding of " + describe(a), a.rounding, here);
    }
}

std::string other_representation(const RunRecord& record, const RunRecord& other) {
  const ConfigKeys keys = keys_of_representation(record, other);
  if (keys.empty()) return {};
  const std::string format = value_of(record, "operator.format");
  std::string ways = format.empty() ? "no format" : format;
  for (const std::string& key : keys)
    if (const std::string value = value_of(record, key);
        key != "operator.format" && key != "operator.values" && !value.empty())
      ways += text(", {} {}", key.substr(key.find('.') + 1), value);
  return ways;
}

void require_same_run(const std::string& reference_file, const RunRecord& reference,
                      const RunRecord& other) {
  ConfigKeys ignored = keys_of_representation(reference, other);
  ignored.insert("run.ranks");
  if (const auto difference = first_difference(reference.identity, other.identity, ignored))
    throw ConfigError(text("{}: this is a record of another run: {} is {} there and {} here",
                           reference_file, difference->key, difference->first, difference->second));
}

}  // namespace Tomokkos
