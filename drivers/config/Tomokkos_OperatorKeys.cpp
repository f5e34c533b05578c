// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos {
namespace {

template <class Format>
std::vector<std::string_view> keys_of() {
  Impl::NameKeys keys;
  typename Format::Options options;
  Format::describe(static_cast<Keys&>(keys), options);
  if (Format::pads) keys.names.push_back("largest_fill");
  return keys.names;
}

template <class Values, class Value>
bool contains(const Values& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// Names of the formats that have \p key, for messages.
std::string formats_with(std::string_view key) {
  std::string names;
  for_each_format([&]<class Format>() {
    if (contains(keys_of<Format>(), key))
      names += (names.empty() ? "" : ", ") + std::string(to_string(Format::format));
  });
  if (key == "largest_fill") names += ", automatic";
  if (key == "values") names += ", block_circulant";
  return names;
}

/// Keys of one format. The format `automatic` has only `largest_fill`.
std::vector<std::string_view> keys_of(const OperatorWish& section) {
  if (section.is_automatic()) return {"largest_fill"};
  std::vector<std::string_view> names;
  if (section.block_circulant()) return {"values"};
  if (!section.stored) return names;
  with_format(*section.stored,
              [&]<class Format>(const typename Format::Options&) { names = keys_of<Format>(); });
  return names;
}

/// Keys of all formats, each once.
std::vector<std::string_view> format_keys() {
  std::vector<std::string_view> all;
  for_each_format([&]<class Format>() {
    for (const std::string_view key : keys_of<Format>())
      if (!contains(all, key)) all.push_back(key);
  });
  return all;
}

void describe_format(Keys& key, OperatorWish& section) {
  if (section.stored)
    with_format(*section.stored, [&]<class Format>(typename Format::Options& options) {
      Format::describe(key, options);
    });
  if (contains(keys_of(section), "largest_fill"))
    key.optional_number("largest_fill", section.largest_fill, KeyRange::positive(),
                        "Largest allowed ratio of stored entries to nonzeros.");
}

/// Describes a key that has already been read before the others.
void described(Keys& key, const char* name, std::string form, const char* help,
               std::function<ConfigNode()> write) {
  key.value(
      name, std::move(form), help, [](const ConfigReader&) {}, std::move(write));
}

ConfigNode text_node(const std::string& text) { return ConfigNode::text(text); }

void describe_stored_rays(Keys& key, OperatorWish& section) {
  const std::string not_symmetric =
      "has no effect on the format " + section.format_name() + "; it belongs to scsr";
  described(key.when(section.symmetric(), "format: scsr", not_symmetric), "stored_format",
            "csr, sell, packed_csr, ray_tiles or pair_blocked", "Format of the stored rays.",
            [&] { return text_node(section.format_name()); });
  described(key.when(section.symmetric(), "format: scsr", not_symmetric)
                .printed(section.transpose_format.has_value()),
            "transpose_format", "automatic, csr or sell",
            "Format of the stored transpose, for stored_format: csr.", [&] {
              return section.transpose_format ? Impl::name_of(*section.transpose_format)
                                              : text_node("automatic");
            });
}

/// Describes the variant of a product of block-circulant matrices. That of another library is only
/// for the benchmarks.
void describe_variant(Keys& key, const char* name, CirculantVariant& variant, const char* help) {
  std::vector<std::string_view> names;
  for (const auto& [value, text] : EnumNames<CirculantVariant>::names)
    if (value != CirculantVariant::library) names.push_back(text);
  key.value(
      name, join_names(names), help,
      [&variant, name, names](const ConfigReader& reader) {
        variant = *from_string<CirculantVariant>(reader.one_of(name, "", names));
      },
      [&variant] { return Impl::name_of(variant); });
}

void describe_circulant(Keys& key, OperatorWish& section, bool uses_transpose) {
  CirculantWish& circulant = section.circulant;
  const bool has_blocks = circulant.blocks > 0;
  key.printed(has_blocks)
      .integer("blocks", circulant.blocks, 1, max_ordinal,
               "Number of blocks of problem.matrix along each side.");
  key.printed(has_blocks)
      .name("circulant_order", circulant.order,
            "Numbering of the rows and columns of problem.matrix.");
  describe_variant(key, "variant", circulant.variant, "Algorithm for the product with the matrix.");
  const std::vector<std::string_view> precisions{"plain", "half"};
  key.value(
      "values", join_names(precisions),
      "Precision of the stored values. half uses 16 bits and requires float.",
      [&, precisions](const ConfigReader& reader) {
        circulant.values = *from_string<StoredPrecision>(reader.one_of("values", "", precisions));
      },
      [&] { return Impl::name_of(circulant.values); });
  const std::vector<std::string_view> methods{"stored", "direct", "automatic"};
  key.printed(uses_transpose)
      .value(
          "transpose", join_names(methods), "Method of the transposed product.",
          [&, methods](const ConfigReader& reader) {
            section.transpose =
                *from_string<TransposeMethod>(reader.one_of("transpose", "", methods));
          },
          [&] { return Impl::name_of(section.transpose); });
  describe_variant(
      key.when(section.transpose != TransposeMethod::direct, "a transpose other than direct",
               "applies only to the product with a stored transpose; transpose: direct has none")
          .printed(uses_transpose),
      "transpose_variant", circulant.transpose_variant,
      "Algorithm for the product with the stored transpose.");
}

std::string why_no_variant(const OperatorWish& section) {
  return section.is_automatic()
             ? "has no effect with format: automatic, which chooses the variant as well"
             : "applies only to csr; " + section.format_name() + " has a single product";
}

std::string transpose_names(const OperatorWish& section) {
  std::vector<std::string_view> names;
  for (const TransposeMethod method : methods_of(section)) names.push_back(to_string(method));
  names.push_back(to_string(TransposeMethod::automatic));
  return join_names(names);
}

void describe_transpose(Keys& key, OperatorWish& section, SolverKind solver) {
  const std::string no_transpose = "has no effect on the solver " + std::string(to_string(solver)) +
                                   ", which needs no transposed product";
  const bool is_used = uses_transpose(solver);
  key.when(is_used && !section.has_one_copy(),
           "a format that keeps a copy and a solver that uses the transpose",
           !is_used             ? no_transpose
           : section.computed() ? "has no effect on the format computed, which keeps no copy"
                                : "has no effect on the format " + section.format_name() +
                                      ", whose one copy serves both products")
      .value(
          "transpose", transpose_names(section), "Method of the transposed product.",
          [&](const ConfigReader& reader) {
            section.transpose = reader.choice("transpose", section.transpose);
          },
          [&] { return Impl::name_of(section.transpose); });
  const TransposeMethod method = section.transpose;
  const bool has_copy = method == TransposeMethod::stored || method == TransposeMethod::automatic;
  const bool is_csr = section.is(MatrixFormat::csr);
  const bool in_sell = section.transpose_format == MatrixFormat::sell;
  key.when(is_used && is_csr && has_copy && !in_sell, "format: csr, transpose: stored",
           !is_used  ? no_transpose
           : !is_csr ? why_no_variant(section)
           : in_sell ? "applies only to a stored transpose in csr, not in sell"
                     : "applies only to the product with a stored transpose; transpose: " +
                           std::string(to_string(method)) + " has none")
      .name("transpose_variant", section.transpose_variant,
            "Algorithm for the product with the stored transpose.");
  if (is_csr)
    key.when(has_sections(section.variant) || has_sections(section.transpose_variant),
             "variant or transpose_variant: merge_path, merge_atomic",
             "applies only to the variants merge_path and merge_atomic; name one of them as "
             "variant or transpose_variant")
        .integer("sections", section.sections, 0, std::numeric_limits<int>::max(),
                 "Rows and entries of a tile of merge_path, and of a section of merge_atomic, "
                 "together; 0: chosen.");
  const std::string no_effect = "has no effect on the format " + section.format_name();
  key.when(is_used && has_copy && !section.has_one_copy() &&
               contains(methods_of(section), TransposeMethod::stored),
           "transpose: stored",
           !is_used                 ? no_transpose
           : section.has_one_copy() ? no_effect + ", which keeps no transposed copy"
           : !contains(methods_of(section), TransposeMethod::stored)
               ? no_effect + ", which has no stored transpose"
               : "applies only to a stored transpose; transpose: " +
                     std::string(to_string(method)) + " has none")
      .name("transposition", section.transposition,
            "Algorithm that forms the stored transpose. No choice changes the result; automatic "
            "alone takes one of less memory where that is short.");
}

}  // namespace

void describe(Keys& key, OperatorWish& section, const SolverSection& solver) {
  described(key, "format", join_names(format_names()),
            "Storage format of the matrix; by default csr.",
            [&] { return text_node(section.symmetric() ? "scsr" : section.format_name()); });
  describe_stored_rays(key, section);
  if (section.block_circulant()) {
    describe_circulant(key, section, uses_transpose(solver.kind()));
  } else {
    key.when(section.is(MatrixFormat::csr), "format: csr", why_no_variant(section))
        .name("variant", section.variant, "Algorithm for the product with the matrix.");
    describe_format(key, section);
    describe_transpose(key, section, solver.kind());
  }
  describe_ordering(key, section.ordering, solver.subsets(), section.computed());
}

std::vector<TransposeMethod> methods_of(const OperatorWish& section) {
  if (section.computed()) return {};
  if (section.is_automatic()) return {TransposeMethod::stored, TransposeMethod::atomic};
  return transpose_methods(format_of(*section.stored));
}

TransposeMethod usual_transpose(const OperatorWish& section) {
  return section.has_one_copy() || contains(methods_of(section), TransposeMethod::stored)
             ? TransposeMethod::stored
             : TransposeMethod::automatic;
}

std::vector<std::string_view> operator_keys() {
  std::vector<std::string_view> keys{
      "format",          "variant",       "transpose",       "transpose_variant",
      "sections",        "transposition", "ordering",        "blocks",
      "circulant_order", "stored_format", "transpose_format"};
  for (const std::string_view key : format_keys()) keys.push_back(key);
  return keys;
}

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names) names.push_back(name);
  for (const auto& [part, name] : EnumNames<StoredPart>::names) names.push_back(name);
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

void refuse_other_formats(const ConfigReader& reader, const OperatorWish& section) {
  const std::string name = section.format_name();
  const std::vector<std::string_view> own = keys_of(section);
  for (const std::string_view key : format_keys())
    if (!contains(own, key))
      reader.refuse_key(
          key, "has no effect on the format " + name + "; it belongs to " + formats_with(key));
  if (section.block_circulant()) {
    for (const char* key : {"sections", "transposition"})
      reader.refuse_key(key, "has no effect on the format " + name);
    return;
  }
  if (!section.is(MatrixFormat::csr)) reader.refuse_key("sections", why_no_variant(section));
  for (const char* key : {"blocks", "circulant_order"})
    reader.refuse_key(key,
                      "has no effect on the format " + name + "; it belongs to block_circulant");
}

}  // namespace Tomokkos
