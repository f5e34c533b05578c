// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <limits>

namespace Tomokkos {
namespace {

/// Keys of each format.
KeysOfKinds keys_of_formats() {
  KeysOfKinds result;
  for_each_format([&]<class Format>() {
    Impl::NameKeys keys;
    typename Format::Options options;
    Format::describe(static_cast<Keys&>(keys), options);
    if (Format::pads) keys.names.push_back("largest_fill");
    result.emplace_back(to_string(Format::format), std::move(keys.names));
  });
  result.push_back({"automatic", {"largest_fill"}});
  result.push_back({"block_circulant", {"values"}});
  return result;
}

void describe_format(Keys& key, OperatorWish& section) {
  bool pads = section.is_automatic();
  if (section.stored)
    with_format(*section.stored, [&]<class Format>(typename Format::Options& options) {
      Format::describe(key, options);
      pads = Format::pads;
    });
  if (pads)
    key.optional_number("largest_fill", section.largest_fill, KeyRange::positive(),
                        "Largest allowed ratio of stored entries to nonzeros.");
}

std::string no_transpose(SolverKind solver) {
  return "has no effect on the solver " + std::string(to_string(solver)) +
         ", which needs no transposed product";
}

/// Describes the keys that choose how the matrix is stored.
void describe_choice(Keys& key, OperatorWish& section) {
  key.value(
      "format", join_names(format_names()),
      "Storage format of the matrix; by default automatic, and csr with other keys of operator.",
      [&](const ConfigNode& node, const std::string& path) {
        section.set_format(one_of(node, path, format_names()));
      },
      [&] { return ConfigNode::text(section.symmetric() ? "scsr" : section.format_name()); });
  key.when(section.symmetric(), "format: scsr",
           "has no effect on the format " + section.format_name() +
               (section.computed() ? ", which stores no rays" : "; it belongs to scsr"))
      .value(
          "stored_format", "csr, sell, packed_csr, ray_tiles or pair_blocked",
          "Format of the stored rays.",
          [&](const ConfigNode& node, const std::string& path) {
            section.stored = default_options(*from_string<MatrixFormat>(
                one_of(node, path, {"csr", "sell", "packed_csr", "ray_tiles", "pair_blocked"})));
          },
          [&] { return ConfigNode::text(section.format_name()); });
  key.end_of_choice();
}

void describe_transpose_format(Keys& key, OperatorWish& section, SolverKind solver) {
  key.when(section.symmetric() && uses_transpose(solver), "format: scsr",
           section.symmetric()
               ? no_transpose(solver)
               : "has no effect on the format " + section.format_name() + "; it belongs to scsr")
      .printed(section.transpose_format.has_value())
      .optional_name("transpose_format", section.transpose_format, "automatic",
                     {MatrixFormat::csr, MatrixFormat::sell},
                     "Format of the stored transpose, for stored_format: csr.");
}

/// Variants of the products of block-circulant matrices. That of another library is only for the
/// benchmarks.
std::vector<CirculantVariant> circulant_variants() {
  std::vector<CirculantVariant> variants;
  for (const auto& [variant, name] : EnumNames<CirculantVariant>::names)
    if (variant != CirculantVariant::library) variants.push_back(variant);
  return variants;
}

void describe_circulant(Keys& key, OperatorWish& section, bool uses_transpose) {
  CirculantWish& circulant = section.circulant;
  for (const char* const name : {"sections", "transposition"})
    key.refused(name, "has no effect on the format block_circulant");
  const bool has_blocks = circulant.blocks > 0;
  key.printed(has_blocks)
      .integer("blocks", circulant.blocks, 1, max_ordinal,
               "Number of blocks of problem.matrix along each side.");
  key.printed(has_blocks)
      .name("circulant_order", circulant.order,
            "Numbering of the rows and columns of problem.matrix.");
  key.name("variant", circulant.variant, circulant_variants(),
           "Algorithm for the product with the matrix.");
  key.name("values", circulant.values, {StoredPrecision::plain, StoredPrecision::half},
           "Precision of the stored values. half uses 16 bits and requires float.");
  key.printed(uses_transpose)
      .name("transpose", section.transpose,
            {TransposeMethod::stored, TransposeMethod::direct, TransposeMethod::automatic},
            "Method of the transposed product.");
  key.when(section.transpose != TransposeMethod::direct, "a transpose other than direct",
           "applies only to the product with a stored transpose; transpose: direct has none")
      .printed(uses_transpose)
      .name("transpose_variant", circulant.transpose_variant, circulant_variants(),
            "Algorithm for the product with the stored transpose.");
}

std::string why_no_variant(const OperatorWish& section) {
  return section.is_automatic()
             ? "has no effect with format: automatic, which chooses the variant as well"
             : "applies only to csr; " + section.format_name() + " has a single product";
}

std::string transpose_names(const OperatorWish& section) {
  std::vector<TransposeMethod> methods = methods_of(section);
  methods.push_back(TransposeMethod::automatic);
  return join_names(names_of(methods));
}

void describe_sections(Keys& key, OperatorWish& section) {
  key.when(has_sections(section.variant) || has_sections(section.transpose_variant),
           "variant or transpose_variant: merge_path, merge_atomic",
           "applies only to the variants merge_path and merge_atomic; name one of them as variant "
           "or transpose_variant")
      .integer("sections", section.sections, 0, std::numeric_limits<int>::max(),
               "Rows and entries of a tile of merge_path, and of a section of merge_atomic, "
               "together; 0: chosen.");
}

void describe_transpose(Keys& key, OperatorWish& section) {
  const std::string no_effect = "has no effect on the format " + section.format_name();
  const bool has_one_copy = section.has_one_copy();
  key.when(!has_one_copy, "a format that keeps a copy and a solver that uses the transpose",
           no_effect + (section.computed() ? ", which keeps no copy"
                                           : ", whose one copy serves both products"))
      .value("transpose", section.transpose, transpose_names(section),
             "Method of the transposed product.",
             Impl::name_parser<TransposeMethod>(names_of<TransposeMethod>()),
             &Impl::name_of<TransposeMethod>);
  const TransposeMethod method = section.transpose;
  const bool has_copy = method == TransposeMethod::stored || method == TransposeMethod::automatic;
  const std::string has_none =
      "a stored transpose; transpose: " + std::string(to_string(method)) + " has none";
  const bool is_csr = section.is(MatrixFormat::csr);
  const bool in_sell = section.transpose_format == MatrixFormat::sell;
  key.when(is_csr && has_copy && !in_sell, "format: csr, transpose: stored",
           !is_csr   ? why_no_variant(section)
           : in_sell ? "applies only to a stored transpose in csr, not in sell"
                     : "applies only to the product with " + has_none)
      .name("transpose_variant", section.transpose_variant,
            "Algorithm for the product with the stored transpose.");
  if (is_csr) describe_sections(key, section);
  const bool may_store = holds(methods_of(section), TransposeMethod::stored);
  key.when(has_copy && !has_one_copy && may_store, "transpose: stored",
           has_one_copy ? no_effect + ", which keeps no transposed copy"
           : !may_store ? no_effect + ", which has no stored transpose"
                        : "applies only to " + has_none)
      .name("transposition", section.transposition,
            "Algorithm that forms the stored transpose. No choice changes the result; automatic "
            "alone takes one of less memory where that is short.");
}

/// Default method. `sart` and `block_art` multiply by many small ranges of rows, for which a stored
/// transpose is slow.
TransposeMethod default_transpose(const OperatorWish& section, SolverKind solver,
                                  bool has_variant) {
  const bool goes_by_ranges = solver == SolverKind::sart || solver == SolverKind::block_art;
  const bool may_be_csr = section.is_automatic() || section.is(MatrixFormat::csr);
  return may_be_csr && goes_by_ranges && !has_variant ? TransposeMethod::automatic
                                                      : usual_transpose(section);
}

/// Describes the keys of a matrix whose entries are stored or computed one by one.
void describe_entries(Keys& key, OperatorWish& section, SolverKind solver) {
  key.reading([&](const ConfigReader& reader) {
    section.transpose = default_transpose(section, solver, reader.has("transpose_variant"));
  });
  const bool is_csr = section.is(MatrixFormat::csr);
  if (!is_csr) key.refused("sections", why_no_variant(section));
  for (const char* const name : {"blocks", "circulant_order"})
    key.refused(name, "has no effect on the format " + section.format_name() +
                          "; it belongs to block_circulant");
  key.when(is_csr, "format: csr", why_no_variant(section))
      .name("variant", section.variant, "Algorithm for the product with the matrix.");
  describe_format(key, section);
  if (uses_transpose(solver)) {
    describe_transpose(key, section);
    return;
  }
  for (const char* const name : {"transpose", "transpose_variant", "transposition"})
    key.refused(name, no_transpose(solver));
  if (is_csr) describe_sections(key, section);
}

/// Describes the key `ordering`: one name for rows and columns, or `{columns, rows, entries}`.
///
/// \param num_subsets number of ordered subsets of the solver
/// \param by_views only the order of whole views can be chosen
void describe_ordering(Keys& key, OrderingOptions& ordering, int num_subsets,
                       bool by_views = false) {
  using enum Ordering;
  key.section_or(
      "ordering",
      by_views ? "natural, subsets, or {rows}"
               : "natural, tiles, squares, hilbert, by_length, rcm, subsets, or {columns, rows, "
                 "entries}",
      "Order in which rows and columns are stored. A good order places neighbours close together.",
      [&, num_subsets](const ConfigNode& node, const std::string& path) {
        ordering = ordering_named(Impl::name_parser<Ordering>(names_of<Ordering>())(node, path));
        ordering.subsets = num_subsets;
      },
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

}  // namespace

void describe(Keys& key, OperatorWish& section, const SolverSection& solver) {
  key.identity_of({}, Identity::storage);
  // Which matrix it is, and how exact.
  key.identity_of({"blocks", "circulant_order", "values"}, Identity::result);
  describe_choice(key, section);
  describe_transpose_format(key, section, solver.kind());
  key.refuse_others(keys_of_formats(), "format", section.format_name());
  if (section.block_circulant())
    describe_circulant(key, section, uses_transpose(solver.kind()));
  else
    describe_entries(key, section, solver.kind());
  describe_ordering(key, section.ordering, solver.subsets(), section.computed());
}

std::vector<TransposeMethod> methods_of(const OperatorWish& section) {
  if (section.computed()) return {};
  if (section.is_automatic()) return {TransposeMethod::stored, TransposeMethod::atomic};
  return transpose_methods(format_of(*section.stored));
}

TransposeMethod usual_transpose(const OperatorWish& section) {
  return section.has_one_copy() || holds(methods_of(section), TransposeMethod::stored)
             ? TransposeMethod::stored
             : TransposeMethod::automatic;
}

std::vector<std::string_view> operator_keys() {
  std::vector<std::string_view> keys{
      "format",          "variant",       "transpose",       "transpose_variant",
      "sections",        "transposition", "ordering",        "blocks",
      "circulant_order", "stored_format", "transpose_format"};
  for (const auto& [format, names] : keys_of_formats())
    for (const std::string_view key : names)
      if (!holds(keys, key)) keys.push_back(key);
  return keys;
}

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names = names_of<MatrixFormat>();
  for (const std::string_view name : names_of<StoredPart>()) names.push_back(name);
  names.push_back("automatic");
  return names;
}

std::string names_of_formats(bool (*property)(MatrixFormat), const std::vector<StoredPart>& parts) {
  std::vector<std::string_view> names;
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names)
    if (property(format)) names.push_back(name);
  for (const StoredPart part : parts) names.push_back(to_string(part));
  std::string text(names.front());
  for (std::size_t i = 1; i < names.size(); ++i)
    text.append(i + 1 < names.size() ? ", " : " and ").append(names[i]);
  return text;
}

std::vector<std::pair<std::string, ConfigNode>> other_operators(const ConfigNode& section,
                                                                const OperatorWish& wish,
                                                                const SolverSection& solver,
                                                                const ProblemSection& problem) {
  std::vector<std::pair<std::string, ConfigNode>> others;
  if (wish.symmetric() || wish.block_circulant()) return others;
  const ConfigNode* const ordering = section.find("ordering");
  const auto add = [&](std::string_view format, const std::string& key, std::string_view value) {
    ConfigNode other = ConfigNode::map();
    other.set("format", ConfigNode::text(std::string(format)));
    if (ordering != nullptr && !from_string<StoredPart>(format)) other.set("ordering", *ordering);
    other.set(key, ConfigNode::text(std::string(value)));
    others.emplace_back(key + ": " + std::string(value), std::move(other));
  };
  if (wish.is(MatrixFormat::csr) || wish.is_automatic()) {
    for (const auto& [variant, name] : EnumNames<SpmvVariant>::names)
      if (variant != wish.variant && variant != SpmvVariant::automatic) add("csr", "variant", name);
    if (uses_transpose(solver.kind()))
      for (const TransposeMethod method : transpose_methods(MatrixFormat::csr))
        if (method != wish.transpose) add("csr", "transpose", to_string(method));
  }
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names)
    if (!wish.is(format)) add(name, "format", name);
  if (problem.kind == ProblemKind::tomography) add("scsr", "format", "scsr");
  if (problem.as<ScanConfig>() && !wish.computed()) add("computed", "format", "computed");
  return others;
}

std::string preparation_of(const OperatorWish& wish, bool uses_transpose) {
  if (wish.is_automatic()) return "choosing the format of the matrix";
  if (!wish.is(MatrixFormat::csr)) return "converting the matrix to its format";
  const bool stored = uses_transpose && wish.transpose == TransposeMethod::stored;
  return stored ? "transposing the matrix" : "preparing the products with the matrix";
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
  if (const auto name = single_name(sorted)) return std::string(to_string(*name));
  return "columns " + std::string(to_string(ordering.columns)) + ", rows " +
         std::string(to_string(ordering.rows));
}

}  // namespace Tomokkos
