// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_FormatKeys.hpp>
#include <Tomokkos_Keys.hpp>
#include <algorithm>

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

/// The formats that have \p key, as a message names them.
std::string formats_with(std::string_view key) {
  std::string names;
  for_each_format([&]<class Format>() {
    if (contains(keys_of<Format>(), key))
      names += (names.empty() ? "" : ", ") + std::string(to_string(Format::format));
  });
  if (key == "largest_fill") names += ", automatic";
  return names;
}

/// The keys of one format; of the choice among all that which limits it.
std::vector<std::string_view> keys_of(const OperatorSection& section) {
  if (section.is_automatic()) return {"largest_fill"};
  std::vector<std::string_view> names;
  with_format(*section.stored,
              [&]<class Format>(const typename Format::Options&) { names = keys_of<Format>(); });
  return names;
}

/// Refuses the keys of formats that are not among \p own.
void refuse_others(const ConfigReader& reader, const std::string& format,
                   const std::vector<std::string_view>& own) {
  for (const std::string_view key : format_keys())
    if (!contains(own, key))
      reader.refuse_key(
          key, "has no effect on the format " + format + "; it belongs to " + formats_with(key));
}

}  // namespace

std::vector<std::string_view> format_keys() {
  std::vector<std::string_view> all;
  for_each_format([&]<class Format>() {
    for (const std::string_view key : keys_of<Format>())
      if (!contains(all, key)) all.push_back(key);
  });
  return all;
}

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names) names.push_back(name);
  for (const char* name : {"scsr", "block_circulant", "automatic"}) names.push_back(name);
  return names;
}

std::string formats_with_row_ranges() {
  std::vector<std::string_view> names;
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names)
    if (has_row_ranges(format)) names.push_back(name);
  std::string text(names.front());
  for (std::size_t i = 1; i < names.size(); ++i)
    text.append(i + 1 < names.size() ? ", " : " and ").append(names[i]);
  return text;
}

void refuse_format_keys(const ConfigReader& reader, const std::string& format) {
  refuse_others(reader, format, {});
}

void read_format_keys(const ConfigReader& reader, OperatorSection& section) {
  refuse_others(reader, section.format_name(), keys_of(section));
  section.largest_fill = reader.optional_number("largest_fill", NumberRange::positive());
  if (section.is_automatic()) return;
  with_format(*section.stored, [&]<class Format>(typename Format::Options& options) {
    Impl::ReadKeys keys(reader);
    Format::describe(static_cast<Keys&>(keys), options);
    if constexpr (Format::pads)
      if (section.largest_fill) options.limit.largest_fill = *section.largest_fill;
  });
}

void write_format_keys(const OperatorSection& section, ConfigNode& node) {
  if (!section.is_automatic())
    with_format(*section.stored, [&]<class Format>(const typename Format::Options& options) {
      auto copy = options;
      Impl::WriteKeys keys(node);
      Format::describe(static_cast<Keys&>(keys), copy);
    });
  if (contains(keys_of(section), "largest_fill"))
    node.set("largest_fill",
             section.largest_fill ? ConfigNode::number(*section.largest_fill) : ConfigNode());
}

TileValues OperatorSection::values() const {
  TileValues result = TileValues::plain;
  if (!stored) return result;
  with_format(*stored, [&]<class Format>(const typename Format::Options& options) {
    if constexpr (requires { options.values; }) result = options.values;
  });
  return result;
}

void OperatorSection::set_values(TileValues values) {
  if (!stored) return;
  with_format(*stored, [&]<class Format>(typename Format::Options& options) {
    if constexpr (requires { options.values; }) options.values = values;
  });
}

bool OperatorSection::may_take_halves() const {
  OperatorSection changed = *this;
  changed.set_values(TileValues::half);
  return values() == TileValues::plain && changed.values() == TileValues::half;
}

}  // namespace Tomokkos
