// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_OrderingConfig.hpp>
#include <optional>

namespace Tomokkos {

namespace {

/// What a single name stands for.
constexpr OrderingOptions shorthand(Ordering name) {
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

/// The single name that says it, if there is one.
std::optional<Ordering> short_name(const OrderingOptions& ordering) {
  for (const auto& [value, name] : EnumNames<Ordering>::names) {
    OrderingOptions named = shorthand(value);
    named.subsets = ordering.subsets;
    if (named == ordering) return value;
  }
  return std::nullopt;
}

std::string text_of_order(Ordering ordering) { return std::string(to_string(ordering)); }

}  // namespace

OrderingOptions read_ordering(const ConfigReader& reader, int subsets) {
  const ConfigNode* node = reader.find("ordering");
  const Ordering fallback = subsets > 1 ? Ordering::subsets : Ordering::natural;
  const auto counted = [&](OrderingOptions ordering) {
    if (ordering.rows != Ordering::subsets) return ordering;
    if (subsets == 1)
      reader.fail(
          "ordering",
          "rows: subsets is for a solver with several (solver.subsets), of which there is 1 "
          "here");
    ordering.subsets = subsets;
    return ordering;
  };
  if (node == nullptr || node->is_scalar())
    return counted(shorthand(reader.choice("ordering", fallback)));
  if (!node->is_map())
    reader.fail(
        "ordering",
        "expected natural, tiles, squares, hilbert, by_length, rcm, subsets, or {columns, rows, "
        "entries}; found " +
            node->describe());
  const ConfigReader section = reader.section("ordering", {"columns", "rows", "entries"});
  const auto order = [&](std::string_view key, const std::vector<std::string_view>& names,
                         Ordering otherwise) {
    return *from_string<Ordering>(section.one_of(key, std::string(to_string(otherwise)), names));
  };
  OrderingOptions result;
  result.columns =
      order("columns", {"natural", "tiles", "squares", "hilbert", "rcm"}, Ordering::natural);
  const bool rcm = result.columns == Ordering::rcm;
  result.rows = order("rows", {"natural", "tiles", "hilbert", "by_length", "rcm", "subsets"},
                      rcm ? Ordering::natural : fallback);
  result.entries = section.choice("entries", result.entries);
  if ((result.columns == Ordering::rcm) != (result.rows == Ordering::rcm))
    section.fail(result.columns == Ordering::rcm ? "columns" : "rows",
                 "rcm numbers rows and columns alike: give it for both");
  return counted(result);
}

void check_ordering(const ConfigReader& reader, const OrderingOptions& ordering,
                    const ProblemSection& problem) {
  if (problem.kind != ProblemKind::tomography && ordering.rows != ordering.columns)
    reader.fail("ordering",
                "rows and columns of a system are numbered alike: natural or rcm, not " +
                    text_of_order(ordering.rows) + " rows and " + text_of_order(ordering.columns) +
                    " columns");
  if (problem.volume.slices && ordering.columns == Ordering::hilbert)
    reader.fail("ordering",
                "columns: hilbert is an order of images, and this is a volume; tiles "
                "are boxes there");
  if (problem.as<ConeBeamRows>() &&
      (ordering.columns != Ordering::natural ||
       (ordering.rows != Ordering::natural && ordering.rows != Ordering::by_length &&
        ordering.rows != Ordering::subsets)))
    reader.fail("ordering",
                "polar voxels, and views of a cone beam, have no other order than natural, "
                "by_length (rows) and subsets");
  if (problem.as<ScannerConfig>()) {
    if (ordering.rows == Ordering::tiles || ordering.rows == Ordering::hilbert)
      reader.fail("ordering", "rows: " + text_of_order(ordering.rows) +
                                  " is an order of views and detectors, not of pairs of crystals "
                                  "({columns: tiles} leaves these alone)");
    if (ordering.rows == Ordering::rcm) reader.fail("ordering", "rcm needs a square matrix");
    return;
  }
  if (problem.traits().is_read) {
    if (orders_pixels(ordering) && !problem.volume.size)
      reader.fail("ordering", "columns: " + text_of_order(ordering.columns) +
                                  " orders pixels, and the matrix is from a file: "
                                  "problem.volume.size must say how they lie");
    if ((ordering.rows == Ordering::tiles || ordering.rows == Ordering::hilbert) &&
        problem.has_unknown_rows())
      reader.fail("ordering", "rows: " + text_of_order(ordering.rows) +
                                  " orders rays, and the matrix is from a file: "
                                  "problem.geometry.views and detectors must say how they lie");
  } else if (const auto* scan = problem.as<ScanConfig>(); scan && ordering.rows == Ordering::rcm) {
    const long long rays = scan->listed_views() * scan->detectors.value_or(0);
    const auto& size = *problem.volume.size;
    const long long pixels = static_cast<long long>(size[0]) * size[1];
    // What the data decide is seen when they have been read.
    if (rays > 0 && rays != pixels)
      reader.fail("ordering", "rcm needs a square matrix; this one has " + std::to_string(rays) +
                                  " rays and " + std::to_string(pixels) + " pixels");
  }
}

ConfigNode ordering_node(const OrderingOptions& ordering) {
  if (const auto name = short_name(ordering)) return ConfigNode::text(text_of_order(*name));
  ConfigNode node = ConfigNode::map(true);
  node.set("columns", ConfigNode::text(text_of_order(ordering.columns)));
  node.set("rows", ConfigNode::text(text_of_order(ordering.rows)));
  node.set("entries", ConfigNode::text(std::string(to_string(ordering.entries))));
  return node;
}

std::string describe(const OrderingOptions& ordering) {
  OrderingOptions sorted = ordering;
  sorted.entries = EntryOrder::sorted;
  if (const auto name = short_name(sorted)) return text_of_order(*name);
  return "columns " + text_of_order(ordering.columns) + ", rows " + text_of_order(ordering.rows);
}

}  // namespace Tomokkos
