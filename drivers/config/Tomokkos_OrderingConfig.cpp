// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_OrderNames.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <optional>

namespace Tomokkos {

namespace {

std::string text_of_order(Ordering ordering) { return std::string(to_string(ordering)); }

}  // namespace

void describe_ordering(Keys& key, OrderingOptions& ordering, int num_subsets, bool by_views) {
  using enum Ordering;
  const Ordering fallback = num_subsets > 1 ? Ordering::subsets : natural;
  const auto name_is = [&, num_subsets](Ordering name) {
    ordering = ordering_named(name);
    ordering.subsets = num_subsets;
  };
  key.section_or(
      "ordering",
      by_views ? "natural, subsets, or {rows}"
               : "natural, tiles, squares, hilbert, by_length, rcm, subsets, or {columns, rows, "
                 "entries}",
      "Order in which rows and columns are stored. A good order places neighbours close together.",
      [&](const ConfigReader& reader) { name_is(reader.choice("ordering", fallback)); },
      [&] { return ordering_node(ordering); },
      [&](Keys& keys) {
        if (by_views) {
          keys.name("rows", ordering.rows, {natural, Ordering::subsets},
                    "Order of the rows (the rays of a scan).");
          return;
        }
        keys.name("columns", ordering.columns, {natural, tiles, squares, hilbert, rcm},
                  "Order of the columns (the pixels of an image).");
        keys.name("rows", ordering.rows,
                  {natural, tiles, hilbert, by_length, rcm, Ordering::subsets},
                  "Order of the rows (the rays of a scan).");
        keys.name("entries", ordering.entries,
                  "Order of the entries within a row; interleaved distributes them over the lanes "
                  "of a product on a GPU.");
      });
}

OrderingOptions read_ordering(const ConfigReader& reader, int subsets) {
  OrderingOptions ordering = default_ordering(subsets);
  Keys keys(reader);
  describe_ordering(keys, ordering, subsets);
  complete_ordering(reader, ordering, subsets);
  return ordering;
}

void complete_ordering(const ConfigReader& reader, OrderingOptions& ordering, int subsets) {
  const ConfigNode* node = reader.find("ordering");
  if (node && node->is_map()) {
    if (ordering.columns == Ordering::rcm && !node->find("rows")) ordering.rows = Ordering::natural;
    if ((ordering.columns == Ordering::rcm) != (ordering.rows == Ordering::rcm))
      reader.fail_at_path(ordering.columns == Ordering::rcm ? "ordering.columns" : "ordering.rows",
                          "rcm uses the same order for rows and columns: give it for both");
  }
  if (ordering.rows == Ordering::subsets && subsets == 1)
    reader.fail("ordering",
                "rows: subsets needs a solver with several subsets; solver.subsets is 1 here");
  ordering.subsets = ordering.rows == Ordering::subsets ? subsets : OrderingOptions().subsets;
}

ConfigNode ordering_node(const OrderingOptions& ordering) {
  return to_node(description_of(ordering));
}

std::string describe(const OrderingOptions& ordering) {
  OrderingOptions sorted = ordering;
  sorted.entries = EntryOrder::sorted;
  if (const auto name = single_name(sorted)) return text_of_order(*name);
  return "columns " + text_of_order(ordering.columns) + ", rows " + text_of_order(ordering.rows);
}

}  // namespace Tomokkos
