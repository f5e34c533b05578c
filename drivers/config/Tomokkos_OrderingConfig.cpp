// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigDescription.hpp>
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
  Impl::ReadKeys keys(reader);
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

void check_ordering(const ConfigReader& reader, const OrderingOptions& ordering,
                    const ProblemSection& problem) {
  if (problem.kind != ProblemKind::tomography && orders_pixels(ordering))
    reader.fail("ordering", "columns: " + text_of_order(ordering.columns) +
                                " orders pixels, which a linear system does not have; use natural "
                                "or rcm");
  if (problem.kind != ProblemKind::tomography && ordering.rows != ordering.columns)
    reader.fail("ordering",
                "rows and columns of a linear system need the same order, natural or rcm, not " +
                    text_of_order(ordering.rows) + " rows and " + text_of_order(ordering.columns) +
                    " columns");
  if (problem.volume.slices && ordering.columns == Ordering::hilbert)
    reader.fail("ordering",
                "columns: hilbert applies only to images, and this is a volume; use tiles, which "
                "are boxes there");
  if (problem.as<ConeBeamRows>() &&
      (ordering.columns != Ordering::natural ||
       (ordering.rows != Ordering::natural && ordering.rows != Ordering::by_length &&
        ordering.rows != Ordering::subsets)))
    reader.fail("ordering",
                "a cone beam allows only the orders natural, by_length (rows) and subsets");
  if (problem.as<ScannerConfig>()) {
    if (ordering.rows == Ordering::tiles || ordering.rows == Ordering::hilbert)
      reader.fail("ordering", "rows: " + text_of_order(ordering.rows) +
                                  " needs views and detectors; a scanner has pairs of crystals "
                                  "({columns: tiles} orders only the columns)");
    if (ordering.rows == Ordering::rcm) reader.fail("ordering", "rcm needs a square matrix");
    return;
  }
  if (problem.traits().is_read) {
    if (orders_pixels(ordering) && !problem.volume.size)
      reader.fail("ordering", "columns: " + text_of_order(ordering.columns) +
                                  " orders pixels; for a matrix from a file, give their "
                                  "arrangement as problem.volume.size");
    if ((ordering.rows == Ordering::tiles || ordering.rows == Ordering::hilbert) &&
        problem.has_unknown_rows())
      reader.fail("ordering", "rows: " + text_of_order(ordering.rows) +
                                  " orders rays; for a matrix from a file, give their arrangement "
                                  "as problem.geometry.views and detectors");
  } else if (const auto* scan = problem.as<ScanConfig>(); scan && ordering.rows == Ordering::rcm) {
    const long long rays = scan->listed_views() * scan->detectors.value_or(0);
    const auto& size = *problem.volume.size;
    const long long pixels = static_cast<long long>(size[0]) * size[1];
    // A size that follows from the data is checked after reading them.
    if (rays > 0 && rays != pixels)
      reader.fail("ordering", "rcm needs a square matrix; this one has " + std::to_string(rays) +
                                  " rays and " + std::to_string(pixels) + " pixels");
  }
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
