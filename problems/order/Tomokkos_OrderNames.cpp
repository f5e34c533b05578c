// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_OrderNames.hpp>

namespace Tomokkos {

OrderingOptions ordering_named(Ordering name) {
  OrderingOptions ordering;
  if (name != Ordering::by_length && name != Ordering::subsets) ordering.columns = name;
  if (name != Ordering::squares) ordering.rows = name;
  return ordering;
}

std::optional<Ordering> single_name(const OrderingOptions& ordering) {
  for (const auto& [value, name] : EnumNames<Ordering>::names) {
    OrderingOptions named = ordering_named(value);
    named.subsets = ordering.subsets;
    if (named == ordering) return value;
  }
  return std::nullopt;
}

OrderingOptions default_ordering(int subsets) {
  OrderingOptions ordering = ordering_named(subsets > 1 ? Ordering::subsets : Ordering::natural);
  ordering.subsets = subsets;
  return ordering;
}

Description description_of(const OrderingOptions& ordering) {
  if (const auto name = single_name(ordering)) return *name;
  Description result = Description::map(true);
  result.set("columns", ordering.columns);
  result.set("rows", ordering.rows);
  result.set("entries", ordering.entries);
  return result;
}

}  // namespace Tomokkos
