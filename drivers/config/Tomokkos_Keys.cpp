// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Keys.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos {

ConstantOrFile read_constant_or_file(const ConfigNode& node, const std::string& path,
                                     NumberRange range) {
  if (as_number(node)) return {number_of(node, path, range), {}};
  if (node.is_scalar() && node.scalar().ends_with(".npy")) return {0.0, file_of(node, path)};
  fail_at(node, path, "expected a number or a .npy file, found " + node.describe());
}

Keys::Keys(const ConfigReader& reader, std::function<void()> check_choice)
    : visit_([this](const Key& key) { read(key); }),
      reader_(&reader),
      check_choice_(std::move(check_choice)) {}

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
              "has no effect with " + (reader_ ? reader_->path_of(of) : std::string(of)) + ": " +
                  std::string(has) + "; it belongs to " + std::string(wants));
}

void Keys::refuse_others(const KeysOfKinds& kinds, const std::string& what,
                         const std::string& kind) {
  std::vector<std::string_view> done;
  for (const auto& [name, keys] : kinds)
    if (name == kind) done = keys;
  for (const auto& [name, keys] : kinds)
    for (const std::string_view key : keys) {
      if (holds(done, key)) continue;
      done.push_back(key);
      std::vector<std::string_view> owners;
      for (const auto& [owner, names] : kinds)
        if (holds(names, key)) owners.push_back(owner);
      refused(key, "has no effect on the " + what + " " + kind + "; it belongs to " +
                       join_names(owners));
    }
}

void Keys::add(std::string_view name, std::string form, const char* help) {
  Key key = std::exchange(next_, {});
  key.name = name;
  key.form = std::move(form);
  key.help = help;
  for (const auto& [names, identity] : identities_)
    if (names.empty() || holds(names, key.name)) key.identity = identity;
  key.identity = std::exchange(identity_, std::nullopt).value_or(key.identity);
  visit_(key);
}

void Keys::one_of(std::string_view name, int& member, const std::vector<int>& values,
                  const char* help) {
  std::string allowed;
  for (const int value : values) allowed += (allowed.empty() ? "" : ", ") + std::to_string(value);
  const auto parse = [values, allowed](const ConfigNode& node, const std::string& path) {
    const auto [minimum, maximum] = std::minmax_element(values.begin(), values.end());
    const int value = static_cast<int>(integer_of(node, path, *minimum, *maximum));
    if (!holds(values, value))
      fail_at(node, path, std::to_string(value) + " is not supported; allowed: " + allowed);
    return value;
  };
  value(name, member, allowed, help, parse, [](int value) { return ConfigNode::integer(value); });
}

void Keys::number(std::string_view name, double& member, const KeyRange& range, const char* help) {
  value(name, member, describe_range(range), help, Impl::number_parser(range), ConfigNode::number);
}

void Keys::number_or_none(std::string_view name, double& member, double none, const KeyRange& range,
                          const char* help) {
  with_empty().value(
      name, member, describe_range(range) + ", or empty", help,
      [none, range](const ConfigNode& node, const std::string& path) {
        return node.is_null() ? none : number_of(node, path, range);
      },
      [none](double value) { return value == none ? ConfigNode() : ConfigNode::number(value); });
}

void Keys::boolean(std::string_view name, bool& member, const char* help) {
  value(name, member, "true or false", help, boolean_of, ConfigNode::boolean);
}

void Keys::text(std::string_view name, std::string& member, const char* form, const char* help) {
  const auto parse = [](const ConfigNode& node, const std::string& path) {
    if (string_of(node, path).empty()) fail_at(node, path, "must not be empty");
    return node.scalar();
  };
  value(name, member, form, help, parse, ConfigNode::text);
}

void Keys::numbers_of_slices(std::string_view name, std::vector<double>& member,
                             const KeyRange& range, const char* help) {
  value(
      name, member, describe_range(range) + ", or a list with one for each slice", help,
      [range](const ConfigNode& node, const std::string& path) {
        if (!node.is_list()) return std::vector{number_of(node, path, range)};
        if (node.items().empty()) fail_at(node, path, "expected a number for each slice");
        return numbers_of(node, path, range);
      },
      [](const std::vector<double>& values) {
        return values.size() == 1 ? ConfigNode::number(values.front())
                                  : ConfigNode::numbers(values);
      });
}

void Keys::number_or(std::string_view word, std::string_view name, std::optional<double>& member,
                     const KeyRange& range, const char* help) {
  value_or(word, name, member, std::string(word) + ", or " + describe_range(range), help,
           Impl::number_parser(range), ConfigNode::number);
}

void Keys::count_or_auto(std::string_view name, std::optional<Ordinal>& member, const char* help) {
  open_by_auto().value_or("auto", name, member, integer_form(1, max_ordinal) + ", or auto", help,
                          Impl::integer_parser<Ordinal>(1, max_ordinal),
                          [](Ordinal value) { return ConfigNode::integer(value); });
}

template <class Member, class Parse, class Write>
void Keys::pair(std::string_view name, std::array<Member, 2>& member, const std::string& form,
                const char* axes, const char* help, Parse parse, Write write) {
  value(
      name, member, std::string(axes) + ", or one number for both: each " + form, help,
      [axes, parse](const ConfigNode& node, const std::string& path) {
        std::array<Member, 2> result;
        if (!node.is_list()) {
          result.fill(parse(node, path));
          return result;
        }
        if (node.items().size() != 2)
          fail_at(node, path, "expected " + std::string(axes) + ", found " + node.describe());
        for (std::size_t d = 0; d < 2; ++d)
          result[d] = parse(node.items()[d], path + "[" + std::to_string(d) + "]");
        return result;
      },
      write);
}

void Keys::pair(std::string_view name, std::array<double, 2>& member, const KeyRange& range,
                const char* axes, const char* help) {
  pair(name, member, describe_range(range), axes, help, Impl::number_parser(range),
       [](const std::array<double, 2>& values) { return ConfigNode::numbers(values); });
}

void Keys::pair(std::string_view name, std::array<Ordinal, 2>& member, const char* axes,
                const char* help) {
  pair(name, member, integer_form(1, max_ordinal), axes, help,
       Impl::integer_parser<Ordinal>(1, max_ordinal),
       [](const std::array<Ordinal, 2>& values) { return ConfigNode::integers(values); });
}

void Keys::file(std::string_view name, std::filesystem::path& member, const char* form,
                const char* help, std::function<bool(const std::filesystem::path&)> accepts,
                const std::string& expectation) {
  value(
      name, member, form, help,
      [accepts, expectation](const ConfigNode& node, const std::string& path) {
        std::filesystem::path file = file_of(node, path);
        if (accepts && !accepts(file)) fail_at(node, path, file.string() + ": " + expectation);
        return file;
      },
      [](const std::filesystem::path& file) {
        return file.empty() ? ConfigNode() : Impl::file_node(file);
      });
}

void Keys::constant_or_file(std::string_view name, std::optional<ConstantOrFile>& member,
                            const KeyRange& range, const char* help) {
  value(
      name, member, describe_range(range) + ", or a .npy file", help,
      [range](const ConfigNode& node, const std::string& path) {
        return read_constant_or_file(node, path, range);
      },
      [](const std::optional<ConstantOrFile>& value) {
        return value ? Impl::constant_or_file(*value) : ConfigNode();
      });
}

void Keys::word(std::string_view name, std::string& member,
                const std::vector<std::string_view>& names, const char* help) {
  value(
      name, member, form_of(names), help,
      [names](const ConfigNode& node, const std::string& path) {
        return Tomokkos::one_of(node, path, names);
      },
      ConfigNode::text);
}

void Keys::read(const Key& key) const {
  const ConfigReader& reader = *reader_;
  if (!key.refusal.empty()) {
    const bool is_open = key.takes_auto && reader.has(key.name) && is_auto(*reader.find(key.name));
    if (!is_open) reader.refuse_key(key.name, key.refusal);
    return;
  }
  if (key.hint != nullptr) reader.require_key(key.name, key.hint);
  const ConfigNode* const node = reader.find(key.name);
  const bool is_short =
      node && (!key.describe || node->is_scalar() || (key.accepts_list && node->is_list()));
  if ((key.takes_null && reader.is_empty(key.name)) || (key.read && is_short)) {
    static const ConfigNode nothing;
    key.read(node ? *node : nothing, reader.path_of(key.name));
    return;
  }
  if (key.read && node && !node->is_map())
    reader.fail(key.name, "expected " + key.form + "; found " + node->describe());
  // An absent mandatory section is read as well, so that its required keys are reported.
  if (!key.describe || (key.is_optional && !node)) return;
  Impl::NameKeys names;
  key.describe(names);
  const ConfigReader section = reader.section(key.name, names.names);
  Keys keys(section);
  key.describe(keys);
}

ConfigNode Impl::written(const std::function<void(Keys&)>& describe_keys, bool on_one_line) {
  ConfigNode node = ConfigNode::map(on_one_line);
  Keys keys([&](const Key& key) {
    if (!key.refusal.empty() || !key.is_printed) return;
    ConfigNode value = key.write ? key.write() : ConfigNode::map();
    if (key.describe && value.is_map())
      value = written(key.describe, key.on_one_line || value.is_flow());
    node.set(key.name, std::move(value));
  });
  describe_keys(keys);
  return node;
}

}  // namespace Tomokkos
