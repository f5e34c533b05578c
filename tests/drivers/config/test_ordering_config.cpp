// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key `operator.ordering`: the meaning of its names, refused values, and how it is printed.
#include <gtest/gtest.h>

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_WriteYaml.hpp>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;

using Testing::parse;

const std::string scan = R"(problem:
  type: tomography
  volume: {size: [16, 20]}
  geometry: {views: 12, detectors: 24}
  phantom: shepp_logan
solver: {type: sirt}
)";

/// Reads \p problem followed by the section `operator`.
RunConfig configure(const std::string& section, const std::string& problem = scan) {
  return read_run_config(parse(problem + "operator: " + section + "\n"), ConfigUse::run, "f");
}

OrderingOptions ordering(const std::string& text) {
  return configure("{ordering: " + text + "}").matrix_operator.ordering;
}

template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "(accepted)";
}

void expect_refused(const std::string& section, const std::string& why) {
  const std::string message = error_of([&] { configure(section); });
  EXPECT_NE(message.find(why), std::string::npos) << section << ": " << message;
  // The section `operator` is on line 7.
  EXPECT_EQ(message.rfind("f.yaml:7:", 0), 0U) << message;
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
  expect_refused("{ordering: subsets}", "needs a solver with several subsets");
  expect_refused("{ordering: {rows: subsets}}", "needs a solver with several subsets");
  expect_refused("{ordering: {columns: subsets}}",
                 "allowed: natural, tiles, squares, hilbert, rcm");
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

TEST(OrderingConfig, invalid_orders_are_refused) {
  expect_refused("{ordering: tile}", "operator.ordering: unknown name \"tile\"");
  expect_refused("{ordering: [tiles]}", "{columns, rows, entries}; found a list");
  expect_refused("{ordering: {row: tiles}}", "operator.ordering.row: unknown key");
  expect_refused("{ordering: {rows: peano}}",
                 "operator.ordering.rows: unknown name \"peano\"; allowed: natural, tiles, "
                 "hilbert, by_length, rcm");
  expect_refused("{ordering: {columns: by_length}}",
                 "allowed: natural, tiles, squares, hilbert, rcm");
  expect_refused("{ordering: {columns: rcm}}",
                 "operator.ordering.columns: rcm uses the same order");
  expect_refused("{ordering: {columns: tiles, rows: rcm}}", "operator.ordering.rows: rcm");
  expect_refused("{ordering: {entries: packed}}", "allowed: sorted, interleaved");
  expect_refused("{ordering: rcm}", "square matrix; this one has 288 rays and 320 pixels");
  expect_refused("{format: sell, ordering: {entries: interleaved}}", "applies only to csr; sell");
  for (const char* key : {"variant", "transpose_variant"})
    expect_refused("{" + std::string(key) + ": spmv4gpu, ordering: {entries: interleaved}}",
                   "operator." + std::string(key) + ": spmv4gpu uses its own padded copy");
}

// The file of a matrix does not contain the grids of its pixels and rays.
TEST(OrderingConfig, matrices_from_files_need_grids_for_orders_on_a_grid) {
  const auto message = [](const std::string& grids, const std::string& text) {
    return error_of([&] {
      configure("{ordering: " + text + "}",
                "problem: {type: tomography, matrix: a.mtx, rhs: b.npy" + grids +
                    "}\nsolver: {type: sirt}\n");
    });
  };
  const std::string image = ", volume: {size: [4, 5]}";
  const std::string rays = ", geometry: {views: 2, detectors: 3}";
  for (const char* columns : {"tiles", "squares", "hilbert"}) {
    const std::string text = "{columns: " + std::string(columns) + "}";
    EXPECT_EQ(message(rays, text).rfind("f.yaml:3:", 0), 0U) << message(rays, text);
    EXPECT_NE(message(rays, text).find("problem.volume.size"), std::string::npos);
    EXPECT_EQ(message(image, text), "(accepted)");
  }
  for (const char* rows : {"tiles", "hilbert"}) {
    const std::string text = "{rows: " + std::string(rows) + "}";
    EXPECT_NE(message(image, text).find("problem.geometry.views"), std::string::npos);
    EXPECT_EQ(message(rays, text), "(accepted)");
  }
  EXPECT_EQ(message(image + rays, "tiles"), "(accepted)");
  EXPECT_EQ(message("", "rcm"), "(accepted)");
  EXPECT_EQ(message("", "by_length"), "(accepted)");
}

TEST(OrderingConfig, is_printed_as_it_was_given_and_reads_back_the_same) {
  for (const char* text : {"natural", "tiles", "squares", "hilbert", "by_length",
                           "{columns: tiles, rows: natural, entries: interleaved}",
                           "{columns: hilbert, rows: by_length, entries: sorted}"}) {
    const std::string once = to_yaml(to_node(configure("{ordering: " + std::string(text) + "}")));
    EXPECT_NE(once.find("ordering: " + std::string(text)), std::string::npos) << once;
    EXPECT_EQ(to_yaml(to_node(read_run_config(parse(once), ConfigUse::run, "f"))), once);
  }
}

}  // namespace
