// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos {

namespace {

/// Reads \p key, a list of two numbers or one number for both. Leaves \p result unchanged if the
/// key is absent.
///
/// \param read converts a node and its path to a number
/// \param names meaning of the two numbers: `[around the axis, along it]`
template <class Number, class Read>
void read_pair(const ConfigReader& reader, std::string_view key, const char* names,
               std::array<Number, 2>& result, const Read& read) {
  const ConfigNode* node = reader.find(key);
  if (node == nullptr) return;
  const std::string path = reader.path_of(key);
  if (!node->is_list()) {
    result.fill(read(*node, path));
    return;
  }
  if (node->items().size() != 2)
    fail_at(*node, path, "expected " + std::string(names) + ", found " + node->describe());
  for (std::size_t d = 0; d < 2; ++d)
    result[d] = read(node->items()[d], path + "[" + std::to_string(d) + "]");
}

}  // namespace

bool is_auto(const ConfigReader& reader, std::string_view key) {
  const ConfigNode* node = reader.find(key);
  return node && node->is_scalar() && node->scalar() == "auto";
}

ConstantOrFile read_constant_or_file(const ConfigReader& reader, std::string_view key,
                                     NumberRange range) {
  const ConfigNode& node = *reader.find(key);
  if (as_number(node)) return {number_of(node, reader.path_of(key), range), {}};
  if (node.is_scalar() && node.scalar().ends_with(".npy"))
    return {0.0, file_of(node, reader.path_of(key))};
  reader.fail(key, "expected a number or a .npy file, found " + node.describe());
}

std::string Keys::integer_form(long long minimum, long long maximum) {
  if (maximum >= std::numeric_limits<int>::max())
    return minimum == std::numeric_limits<long long>::min()
               ? "a whole number"
               : "a whole number of at least " + std::to_string(minimum);
  return "a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum);
}

std::string Keys::form_of(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text.append(i == 0 ? "" : i + 1 < names.size() ? ", " : " or ").append(names[i]);
  return text;
}

Keys& Keys::applies_where(std::string_view of, bool applies, std::string_view has,
                          std::string_view wants) {
  return when(applies, std::string(of) + ": " + std::string(wants),
              "has no effect with " + path_of(of) + ": " + std::string(has) + "; it belongs to " +
                  std::string(wants));
}

void Keys::refuse_others(const KeysOfKinds& kinds, const std::string& what,
                         const std::string& kind) {
  const auto has = [](const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string_view> done;
  for (const auto& [name, keys] : kinds)
    if (name == kind) done = keys;
  for (const auto& [name, keys] : kinds)
    for (const std::string_view key : keys) {
      if (has(done, key)) continue;
      done.push_back(key);
      std::vector<std::string_view> owners;
      for (const auto& [owner, names] : kinds)
        if (has(names, key)) owners.push_back(owner);
      refused(key, "has no effect on the " + what + " " + kind + "; it belongs to " +
                       join_names(owners));
    }
}

void Keys::add(Key key) {
  key.condition = std::exchange(condition_, {});
  key.refusal = std::exchange(refusal_, {});
  key.hint = std::exchange(hint_, nullptr);
  key.is_printed = std::exchange(is_printed_, true);
  key.takes_auto = std::exchange(takes_auto_, false);
  key.identity = std::exchange(identity_, Identity::result);
  if (identity_of_named_ != Identity::result &&
      (named_.empty() || std::find(named_.begin(), named_.end(), key.name) != named_.end()))
    key.identity = identity_of_named_;
  visit(key);
}

void Keys::one_of(std::string_view name, int& member, std::initializer_list<int> values,
                  const char* help) {
  std::string allowed;
  for (const int value : values) allowed += (allowed.empty() ? "" : ", ") + std::to_string(value);
  const std::vector<int> list(values);
  add({.name = name,
       .form = allowed,
       .help = help,
       .read =
           [&member, name, list, allowed](const ConfigReader& reader) {
             const auto [minimum, maximum] = std::minmax_element(list.begin(), list.end());
             member = static_cast<int>(reader.integer(name, 0, *minimum, *maximum));
             if (std::find(list.begin(), list.end(), member) == list.end())
               reader.fail(name, std::to_string(member) + " is not supported; allowed: " + allowed);
           },
       .write = [&member] { return ConfigNode::integer(member); }});
}

void Keys::number(std::string_view name, double& member, const KeyRange& range, const char* help) {
  add({.name = name,
       .form = describe_range(range),
       .help = help,
       .read = [&member, name,
                range](const ConfigReader& reader) { member = reader.number(name, 0, range); },
       .write = [&member] { return ConfigNode::number(member); }});
}

void Keys::number_or_none(std::string_view name, double& member, double none, const KeyRange& range,
                          const char* help) {
  add({.name = name,
       .form = describe_range(range) + ", or empty",
       .help = help,
       .read =
           [&member, name, none, range](const ConfigReader& reader) {
             member = reader.optional_number(name, range).value_or(none);
           },
       .write = [&member,
                 none] { return member == none ? ConfigNode() : ConfigNode::number(member); },
       .takes_null = true});
}

void Keys::boolean(std::string_view name, bool& member, const char* help) {
  add({.name = name,
       .form = "true or false",
       .help = help,
       .read = [&member,
                name](const ConfigReader& reader) { member = reader.boolean(name, false); },
       .write = [&member] { return ConfigNode::boolean(member); }});
}

void Keys::text(std::string_view name, std::string& member, const char* form, const char* help) {
  add({.name = name,
       .form = form,
       .help = help,
       .read =
           [&member, name](const ConfigReader& reader) {
             member = reader.string(name);
             if (member.empty()) reader.fail(name, "must not be empty");
           },
       .write = [&member] { return ConfigNode::text(member); }});
}

void Keys::numbers_of_slices(std::string_view name, std::vector<double>& member,
                             const KeyRange& range, const char* help) {
  add({.name = name,
       .form = describe_range(range) + ", or a list with one for each slice",
       .help = help,
       .read =
           [&member, name, range](const ConfigReader& reader) {
             const ConfigNode& node = *reader.find(name);
             const std::string path = reader.path_of(name);
             if (!node.is_list()) {
               member = {number_of(node, path, range)};
               return;
             }
             if (node.items().empty()) fail_at(node, path, "expected a number for each slice");
             for (const ConfigNode& item : node.items())
               member.push_back(number_of(item, path, range));
           },
       .write =
           [&member] {
             return member.size() == 1 ? ConfigNode::number(member.front())
                                       : ConfigNode::numbers(member);
           }});
}

void Keys::number_or(std::string_view word, std::string_view name, std::optional<double>& member,
                     const KeyRange& range, const char* help) {
  add({.name = name,
       .form = std::string(word) + ", or " + describe_range(range),
       .help = help,
       .read =
           [&member, word, name, range](const ConfigReader& reader) {
             const ConfigNode& node = *reader.find(name);
             const bool is_word = node.is_scalar() && node.scalar() == word;
             member = is_word ? std::nullopt : reader.optional_number(name, range);
           },
       .write =
           [&member, word] {
             return member ? ConfigNode::number(*member) : ConfigNode::text(std::string(word));
           }});
}

void Keys::count_or_auto(std::string_view name, std::optional<Ordinal>& member, const char* help) {
  open_by_auto();
  add({.name = name,
       .form = integer_form(1, max_ordinal) + ", or auto",
       .help = help,
       .read =
           [&member, name](const ConfigReader& reader) {
             if (is_auto(reader, name))
               member.reset();
             else
               member = static_cast<Ordinal>(reader.integer(name, 1, 1, max_ordinal));
           },
       .write = [&member] { return Impl::count_or_auto(member); }});
}

void Keys::pair(std::string_view name, std::array<double, 2>& member, const KeyRange& range,
                const char* axes, const char* help) {
  add({.name = name,
       .form = std::string(axes) + ", or one number for both: each " + describe_range(range),
       .help = help,
       .read =
           [&member, name, range, axes](const ConfigReader& reader) {
             read_pair(reader, name, axes, member,
                       [&](const ConfigNode& node, const std::string& path) {
                         return number_of(node, path, range);
                       });
           },
       .write = [&member] { return ConfigNode::numbers(member); }});
}

void Keys::pair(std::string_view name, std::array<Ordinal, 2>& member, const char* axes,
                const char* help) {
  add({.name = name,
       .form = std::string(axes) + ", or one number for both: each " + integer_form(1, max_ordinal),
       .help = help,
       .read =
           [&member, name, axes](const ConfigReader& reader) {
             read_pair(reader, name, axes, member,
                       [](const ConfigNode& node, const std::string& path) {
                         return static_cast<Ordinal>(integer_of(node, path, 1, max_ordinal));
                       });
           },
       .write = [&member] { return ConfigNode::integers(member); }});
}

void Keys::file(std::string_view name, std::filesystem::path& member, const char* form,
                const char* help) {
  add({.name = name,
       .form = form,
       .help = help,
       .read = [&member, name](const ConfigReader& reader) { member = reader.file(name); },
       .write = [&member] { return member.empty() ? ConfigNode() : Impl::file_node(member); }});
}

void Keys::constant_or_file(std::string_view name, std::optional<ConstantOrFile>& member,
                            const KeyRange& range, const char* help) {
  add({.name = name,
       .form = describe_range(range) + ", or a .npy file",
       .help = help,
       .read =
           [&member, name, range](const ConfigReader& reader) {
             member = read_constant_or_file(reader, name, range);
           },
       .write = [&member] { return member ? Impl::constant_or_file(*member) : ConfigNode(); }});
}

void Keys::word(std::string_view name, std::string& member,
                const std::vector<std::string_view>& names, const char* help) {
  add({.name = name,
       .form = form_of(names),
       .help = help,
       .read = [&member, name,
                names](const ConfigReader& reader) { member = reader.one_of(name, "", names); },
       .write = [&member] { return ConfigNode::text(member); }});
}

namespace Impl {

void ReadKeys::visit(const Key& key) {
  if (!key.refusal.empty()) {
    if (!(key.takes_auto && is_auto(reader_, key.name))) reader_.refuse_key(key.name, key.refusal);
    return;
  }
  if (key.hint != nullptr) reader_.require_key(key.name, key.hint);
  const ConfigNode* const node = reader_.find(key.name);
  if (key.takes_null && reader_.is_empty(key.name)) {
    key.read(reader_);
    return;
  }
  const bool is_short =
      node && (!key.describe || node->is_scalar() || (key.accepts_list && node->is_list()));
  if (key.read && is_short) {
    key.read(reader_);
    return;
  }
  if (key.read && node && !node->is_map())
    reader_.fail(key.name, "expected " + key.form + "; found " + node->describe());
  // An absent mandatory section is read as well, so that its required keys are reported.
  if (!key.describe || (key.is_optional && !node)) return;
  NameKeys names;
  key.describe(names);
  const ConfigReader section = reader_.section(key.name, names.names);
  ReadKeys keys(section);
  key.describe(keys);
}

void WriteKeys::visit(const Key& key) {
  if (!key.refusal.empty() || !key.is_printed) return;
  ConfigNode value = key.write ? key.write() : ConfigNode::map();
  if (!key.describe || !value.is_map()) {
    node_.set(key.name, std::move(value));
    return;
  }
  ConfigNode section = ConfigNode::map(key.on_one_line || value.is_flow());
  WriteKeys keys(section);
  key.describe(keys);
  node_.set(key.name, std::move(section));
}

}  // namespace Impl
}  // namespace Tomokkos
