// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key `operator.ordering`: the meaning of its names, and how it is printed.
#include <gtest/gtest.h>

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_YamlFile.hpp>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;

using Testing::parse;

const std::string scan = Testing::configuration("scan");

/// Reads \p problem followed by the section `operator`.
RunConfig configure(const std::string& section, const std::string& problem = scan) {
  return read_run_config(parse(problem + "operator: " + section + "\n"), ConfigUse::run, "f");
}

OrderingOptions ordering(const std::string& text) {
  return configure("{ordering: " + text + "}").matrix_operator.ordering;
}

TEST(OrderingConfig, a_name_sets_the_orders_of_rows_and_columns) {
  EXPECT_EQ(configure("{}").matrix_operator.ordering, OrderingOptions{});
  EXPECT_EQ(ordering("natural"), OrderingOptions{});
  EXPECT_EQ(ordering("tiles"), (OrderingOptions{Ordering::tiles, Ordering::tiles}));
  EXPECT_EQ(ordering("hilbert"), (OrderingOptions{Ordering::hilbert, Ordering::hilbert}));
  EXPECT_EQ(ordering("squares"), (OrderingOptions{Ordering::squares, Ordering::natural}));
  EXPECT_EQ(ordering("by_length"), (OrderingOptions{Ordering::natural, Ordering::by_length}));
  EXPECT_EQ(ordering("{columns: hilbert, entries: interleaved}"),
            (OrderingOptions{Ordering::hilbert, Ordering::natural, EntryOrder::interleaved}));
  EXPECT_EQ(ordering("{}"), OrderingOptions{});
}

TEST(OrderingConfig, rows_are_grouped_by_subset_unless_another_order_is_given) {
  const auto ordering_with_subsets = [&](const std::string& section) {
    std::string text = scan;
    text.replace(text.find("{type: sirt}"), 12, "{type: sirt, subsets: 4}");
    return configure(section, text).matrix_operator.ordering;
  };
  const OrderingOptions grouped{Ordering::natural, Ordering::subsets, EntryOrder::sorted, 4};
  EXPECT_EQ(ordering_with_subsets("{}"), grouped);
  EXPECT_EQ(ordering_with_subsets("{ordering: subsets}"), grouped);
  EXPECT_EQ(ordering_with_subsets("{ordering: {}}"), grouped);
  EXPECT_EQ(ordering_with_subsets("{ordering: {columns: tiles}}"),
            (OrderingOptions{Ordering::tiles, Ordering::subsets, EntryOrder::sorted, 4}));
  EXPECT_EQ(ordering_with_subsets("{ordering: natural}"), OrderingOptions{});
  EXPECT_EQ(ordering_with_subsets("{ordering: tiles}"),
            (OrderingOptions{Ordering::tiles, Ordering::tiles}));
  EXPECT_EQ(ordering_with_subsets("{ordering: {rows: natural}}"), OrderingOptions{});
}

TEST(OrderingConfig, ray_tiles_use_squares_of_pixels_unless_another_order_is_given) {
  const auto ordering_of = [](const std::string& text) {
    return configure(text).matrix_operator.ordering;
  };
  EXPECT_EQ(ordering_of("{format: ray_tiles}"),
            (OrderingOptions{Ordering::squares, Ordering::natural}));
  EXPECT_EQ(ordering_of("{format: ray_tiles, ordering: natural}"), OrderingOptions{});
  EXPECT_EQ(ordering_of("{format: sell}"), OrderingOptions{});
}

TEST(OrderingConfig, is_printed_as_it_was_given_and_reads_back_the_same) {
  for (const char* text : {"natural", "tiles", "squares", "hilbert", "by_length",
                           "{columns: tiles, rows: natural, entries: interleaved}",
                           "{columns: hilbert, rows: by_length, entries: sorted}"}) {
    const std::string once = to_yaml(to_node(configure("{ordering: " + std::string(text) + "}")));
    EXPECT_CONTAINS(once, "ordering: " + std::string(text));
    EXPECT_EQ(to_yaml(to_node(read_run_config(parse(once), ConfigUse::run, "f"))), once);
  }
}

}  // namespace
