// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_OrderNames.hpp>

namespace Tomokkos {

OrderingOptions ordering_named(Ordering name) {
  switch (name) {
    case Ordering::natural:
      return {};
    case Ordering::tiles:
      return {Ordering::tiles, Ordering::tiles};
    case Ordering::squares:
      return {Ordering::squares, Ordering::natural};
    case Ordering::hilbert:
      return {Ordering::hilbert, Ordering::hilbert};
    case Ordering::by_length:
      return {Ordering::natural, Ordering::by_length};
    case Ordering::rcm:
      return {Ordering::rcm, Ordering::rcm};
    case Ordering::subsets:
      return {Ordering::natural, Ordering::subsets};
  }
  return {};
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
