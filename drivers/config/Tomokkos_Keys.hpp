// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The visitor passed to `describe(key, params)` (Tomokkos_Describe.hpp) and its implementations:
// listing the names of the keys, reading members from a configuration, and writing members to one.
// Tomokkos_KeyHelp.cpp makes the help texts and the reference pages from the same descriptions.
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Describe.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <array>
#include <concepts>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Tomokkos {

class Keys;

inline constexpr long long max_ordinal = std::numeric_limits<Ordinal>::max();

/// \brief Names of the sections of a configuration.
inline std::vector<std::string_view> document_keys() {
  return {"run", "problem", "operator", "solver", "output", "bench"};
}

/// \brief Values of `problem.type`, separated by commas.
inline std::string problem_kinds() { return join_names(names_of<ProblemKind>()); }

/// \brief Reads the section `run`.
///
/// \param scalar default precision
RunSection read_run(const ConfigReader& root, const char* scalar = "float");

/// \brief Reads a constant or the name of a `.npy` file.
ConstantOrFile read_constant_or_file(const ConfigNode& node, const std::string& path,
                                     NumberRange range);

/// \brief Reads the section `stencil` of \p parent.
///
/// \throws ConfigError also for more unknowns than a 32-bit index can number
StencilRows read_stencil(const ConfigReader& parent);

/// \brief Reads an angle with or without a unit.
ConfigAngle read_angle(const ConfigNode& node, const std::string& path);

/// \brief True for the word `auto`.
inline bool is_auto(const ConfigNode& node) { return node.is_scalar() && node.scalar() == "auto"; }

namespace Impl {

// Conversions of single values.

template <class Enum>
ConfigNode name_of(Enum value) {
  return ConfigNode::text(std::string(to_string(value)));
}

inline ConfigNode file_node(const std::filesystem::path& path) {
  return ConfigNode::text(path.string());
}

template <class Value>
ConfigNode number_or_null(const std::optional<Value>& value) {
  return value ? ConfigNode::number(static_cast<double>(*value)) : ConfigNode();
}

inline ConfigNode constant_or_file(const ConstantOrFile& value) {
  return value.file.empty() ? ConfigNode::number(value.value) : file_node(value.file);
}

template <class Member>
auto integer_parser(long long minimum, long long maximum) {
  return [minimum, maximum](const ConfigNode& node, const std::string& path) {
    return static_cast<Member>(integer_of(node, path, minimum, maximum));
  };
}
template <class Enum>
auto name_parser(const std::vector<std::string_view>& names) {
  return [names](const ConfigNode& node, const std::string& path) {
    return *from_string<Enum>(one_of(node, path, names));
  };
}
inline auto number_parser(const KeyRange& range = {}) {
  return [range](const ConfigNode& node, const std::string& path) {
    return number_of(node, path, range);
  };
}

}  // namespace Impl

/// \brief Comparisons of two runs in which a key must agree.
enum class Identity {
  result,  ///< all comparisons
  /// Ranks and checkpoints. A comparison of records says how the matrix is stored.
  storage,
  /// Ranks and records. A checkpoint compares the contents of files, and more iterations may
  /// follow.
  run,
  bits,  ///< checkpoints: the same bits follow on the same machine
  none   ///< no comparison: the key belongs to the machine or to the files that are written
};

/// \brief Names of the kinds of a section (solvers, formats), each with its keys.
using KeysOfKinds = std::vector<std::pair<std::string_view, std::vector<std::string_view>>>;

/// \brief One key of a section.
struct Key {
  std::string_view name = {};
  std::string form = {};       ///< accepted values: `a whole number of at least 1`
  std::string_view help = {};  ///< one sentence
  std::string condition = {};  ///< setting that the key needs: `type: poisson`; empty: none
  std::string refusal =
      {};  ///< reason why the key has no effect with the other keys; empty: it has one
  const char* hint = nullptr;  ///< set for a required key: text that helps if it is missing
  /// Reads the node of the key at its path. Called only if the key is present. For a section with a
  /// short form, called only for the short form.
  std::function<void(const ConfigNode&, const std::string&)> read = {};
  /// For an optional section or one with a short form, returns a map if the full section is to be
  /// written.
  std::function<ConfigNode()> write = {};
  std::function<void(Keys&)> describe = {};  ///< describes the keys of a section
  bool is_optional = false;                  ///< the section may be absent
  bool accepts_list = false;                 ///< `read` also accepts lists
  bool takes_auto = false;                   ///< the value `auto` is never refused
  bool takes_null = false;                   ///< an empty key is read, too: it has a meaning
  bool on_one_line = false;                  ///< the section is written on one line
  bool is_printed = true;                    ///< written in the effective configuration
  Identity identity = Identity::result;      ///< of a section: holds for its keys as well
};

/// \brief Visitor of descriptions. Each call creates a `Key`.
///
/// A description is processed from top to bottom: a condition may use the members of the keys above
/// it.
class Keys {
 public:
  /// \brief Calls \p visit for each key.
  explicit Keys(std::function<void(const Key&)> visit) : visit_(std::move(visit)) {}
  /// \brief Reads the members. An absent key leaves its member unchanged.
  ///
  /// \param check_choice called at the end of the keys that choose the kind of the section
  explicit Keys(const ConfigReader& reader, std::function<void()> check_choice = {});
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  template <std::integral Member>
  void integer(std::string_view name, Member& member, long long minimum, long long maximum,
               const char* help) {
    value(name, member, integer_form(minimum, maximum), help,
          Impl::integer_parser<Member>(minimum, maximum),
          [](Member value) { return ConfigNode::integer(value); });
  }
  void one_of(std::string_view name, int& member, const std::vector<int>& values, const char* help);
  void number(std::string_view name, double& member, const KeyRange& range, const char* help);
  void number_or_none(std::string_view name, double& member, double none, const KeyRange& range,
                      const char* help);
  void boolean(std::string_view name, bool& member, const char* help);
  template <class Enum>
  void name(std::string_view name, Enum& member, const char* help) {
    this->name(name, member, values_of<Enum>(), help);
  }
  template <class Enum>
  void name(std::string_view name, Enum& member, const std::vector<Enum>& values,
            const char* help) {
    const std::vector<std::string_view> names = names_of(values);
    value(name, member, form_of(names), help, Impl::name_parser<Enum>(names), &Impl::name_of<Enum>);
  }

  void text(std::string_view name, std::string& member, const char* form, const char* help);

  // The functions below are for sections of configurations, not for parameters of the library.

  /// \brief A number or an empty value.
  template <class Number>
  void optional_number(std::string_view name, std::optional<Number>& member, const KeyRange& range,
                       const char* help) {
    with_empty().value_or("", name, member, describe_range(range) + ", or empty", help,
                          Impl::number_parser(range), ConfigNode::number);
  }
  /// \brief A number for all slices of a stack, or a list with one for each.
  void numbers_of_slices(std::string_view name, std::vector<double>& member, const KeyRange& range,
                         const char* help);
  /// \brief A number, or a word that leaves the value open.
  void number_or(std::string_view word, std::string_view name, std::optional<double>& member,
                 const KeyRange& range, const char* help);
  void count_or_auto(std::string_view name, std::optional<Ordinal>& member, const char* help);
  /// \brief A list of two numbers, or one number for both. \p axes names them: `[along u, along
  /// v]`.
  void pair(std::string_view name, std::array<double, 2>& member, const KeyRange& range,
            const char* axes, const char* help);
  void pair(std::string_view name, std::array<Ordinal, 2>& member, const char* axes,
            const char* help);
  /// \brief Name of a file, an empty value if it is not given.
  ///
  /// \param accepts false for a file that is refused with its name and \p expectation
  void file(std::string_view name, std::filesystem::path& member, const char* form,
            const char* help, std::function<bool(const std::filesystem::path&)> accepts = {},
            const std::string& expectation = {});
  void constant_or_file(std::string_view name, std::optional<ConstantOrFile>& member,
                        const KeyRange& range, const char* help);
  /// \brief One of \p names as text.
  void word(std::string_view name, std::string& member, const std::vector<std::string_view>& names,
            const char* help);
  /// \brief Optional name of an enumeration, one of \p values. The word \p none leaves it open; if
  /// \p none is empty, an empty key does.
  template <class Enum>
  void optional_name(std::string_view name, std::optional<Enum>& member, std::string_view none,
                     const std::vector<Enum>& values, const char* help) {
    std::vector<std::string_view> names = names_of(values);
    if (!none.empty()) names.insert(names.begin(), none);
    value_or(none, name, member, form_of(names), help, Impl::name_parser<Enum>(names),
             &Impl::name_of<Enum>);
  }
  template <class Enum>
  void optional_name(std::string_view name, std::optional<Enum>& member, std::string_view none,
                     const char* help) {
    optional_name(name, member, none, values_of<Enum>(), help);
  }
  /// \brief Optional struct whose \p part is the name of an enumeration.
  template <class Owner, class Enum>
  void optional_name(std::string_view name, std::optional<Owner>& member, Enum Owner::*part,
                     const char* help) {
    const std::vector<std::string_view> names = names_of<Enum>();
    const auto read = [&member, part, parse = Impl::name_parser<Enum>(names)](
                          const ConfigNode& node, const std::string& path) {
      member.emplace().*part = parse(node, path);
    };
    const auto write = [&member, part] {
      return member ? Impl::name_of((*member).*part) : ConfigNode();
    };
    value(name, form_of(names), help, read, write);
  }
  /// \brief A list of names of an enumeration.
  template <class Enum>
  void names(std::string_view name, std::vector<Enum>& member, const char* help) {
    value(
        name, member, "a list of " + join_names(names_of<Enum>()), help,
        [](const ConfigNode& node, const std::string& path) {
          std::vector<Enum> values;
          for (const std::string_view text : list_of(node, path, names_of<Enum>()))
            values.push_back(*from_string<Enum>(text));
          return values;
        },
        [](const std::vector<Enum>& values) { return ConfigNode::texts(names_of(values)); });
  }
  /// \brief Value of any other form.
  ///
  /// \param read reads the node of the key at its path; called only if it is present
  void value(std::string_view name, std::string form, const char* help, decltype(Key::read) read,
             std::function<ConfigNode()> write) {
    next_.read = std::move(read);
    next_.write = std::move(write);
    add(name, std::move(form), help);
  }
  /// \brief Value of any other form, held by one member.
  ///
  /// \param parse converts the node at a path to the value of the member
  /// \param write converts the member to a node
  template <class Member, class Parse, class Write>
  void value(std::string_view name, Member& member, std::string form, const char* help, Parse parse,
             Write write) {
    value(
        name, std::move(form), help,
        [&member, parse](const ConfigNode& node, const std::string& path) {
          member = parse(node, path);
        },
        [&member, write] { return write(member); });
  }
  /// \brief Section whose struct describes its keys.
  template <class Section>
  requires std::is_class_v<Section>
  void section(std::string_view name, Section& member, const char* help, bool on_one_line = false) {
    next_.on_one_line = on_one_line;
    section(
        name, [&member](Keys& keys) { describe(keys, member); }, help);
  }
  /// \brief Section whose keys are described by \p describe_keys.
  void section(std::string_view name, std::function<void(Keys&)> describe_keys, const char* help) {
    next_.describe = std::move(describe_keys);
    add(name, "a section", help);
  }
  /// \brief Section that may be absent.
  template <class Section>
  void optional_section(std::string_view name, std::optional<Section>& member, const char* help) {
    next_.is_optional = true;
    next_.write = [&member] { return member ? ConfigNode::map() : ConfigNode(); };
    next_.describe = [&member](Keys& keys) {
      if (!member) member.emplace();
      describe(keys, *member);
    };
    add(name, "a section", help);
  }
  /// \brief Section that may be absent or given in a short form.
  ///
  /// \param form description of the accepted values
  /// \param read reads the short form: a scalar, or also a list if \p accepts_list
  /// \param write returns the short form, or a map if the full section is to be written
  void section_or(std::string_view name, std::string form, const char* help,
                  decltype(Key::read) read, std::function<ConfigNode()> write,
                  std::function<void(Keys&)> describe_keys, bool accepts_list = false) {
    next_.is_optional = true;
    next_.accepts_list = accepts_list;
    next_.describe = std::move(describe_keys);
    value(name, std::move(form), help, std::move(read), std::move(write));
  }

  /// \brief Runs \p step while a configuration is read: after the keys above, before those below.
  void reading(const std::function<void(const ConfigReader&)>& step) {
    if (reader_) step(*reader_);
  }
  /// \brief Ends the keys that choose the kind of a section. While a configuration is read, the
  /// rules of the kind are checked here, before keys that it may not have.
  void end_of_choice() {
    if (check_choice_) check_choice_();
  }
  /// \brief Key that other kinds of the section have. It is refused for the reason \p why.
  void refused(std::string_view name, std::string why) {
    when(false, "", std::move(why)).value(name, "", "", {}, {});
  }
  /// \brief Refuses keys that only kinds other than \p kind have. The messages name those kinds.
  ///
  /// \param what name for a kind: `solver`
  void refuse_others(const KeysOfKinds& kinds, const std::string& what, const std::string& kind);

  /// \brief Refuses the next key unless the key \p of, stored in \p member, has the value \p value.
  template <class Enum>
  Keys& only(std::string_view of, Enum member, Enum value) {
    return applies_where(of, member == value, to_string(member), to_string(value));
  }
  /// \brief Refuses the next key with the message \p refusal unless \p applies. \p condition
  /// describes the requirement in words of the configuration.
  Keys& when(bool applies, std::string condition, std::string refusal) {
    next_.condition = std::move(condition);
    next_.refusal = applies ? "" : std::move(refusal);
    return *this;
  }
  /// \brief Reads the next key even if it is empty: this has a meaning.
  Keys& with_empty() {
    next_.takes_null = true;
    return *this;
  }
  /// \brief Accepts the word `auto` for the next key even if the key has no effect.
  Keys& open_by_auto() {
    next_.takes_auto = true;
    return *this;
  }
  /// \brief Writes the next key to the effective configuration only if \p is_printed.
  Keys& printed(bool is_printed) {
    next_.is_printed = is_printed;
    return *this;
  }
  /// \brief Says in which comparisons of runs the next key must agree; by default in all.
  void identity(Identity identity) { identity_ = identity; }
  /// \brief Says the same for several keys below, such as those that the library describes. Without
  /// names: for all keys of the section. Of several calls the last one counts.
  void identity_of(std::vector<std::string_view> names, Identity identity) {
    identities_.emplace_back(std::move(names), identity);
  }
  /// \brief Requires the next key unless it is refused.
  Keys& required(const char* hint) {
    next_.hint = hint;
    return *this;
  }

  template <class Enum>
  static std::vector<Enum> values_of() {
    std::vector<Enum> values;
    for (const auto& [value, name] : EnumNames<Enum>::names) values.push_back(value);
    return values;
  }

 private:
  static std::string integer_form(long long minimum, long long maximum);
  static std::string form_of(const std::vector<std::string_view>& names);
  Keys& applies_where(std::string_view of, bool applies, std::string_view has,
                      std::string_view wants);
  /// \brief Value that the word \p open leaves open. Empty: an empty key does.
  template <class Member, class Parse, class Write>
  void value_or(std::string_view open, std::string_view name, std::optional<Member>& member,
                std::string form, const char* help, Parse parse, Write write) {
    value(
        name, member, std::move(form), help,
        [open, parse](const ConfigNode& node, const std::string& path) -> std::optional<Member> {
          if (open.empty() ? node.is_null() : node.is_scalar() && node.scalar() == open)
            return std::nullopt;
          return static_cast<Member>(parse(node, path));
        },
        [open, write](const std::optional<Member>& value) {
          if (value) return write(*value);
          return open.empty() ? ConfigNode() : ConfigNode::text(std::string(open));
        });
  }
  /// \brief Two values, or one for both. \p parse converts one.
  template <class Member, class Parse, class Write>
  void pair(std::string_view name, std::array<Member, 2>& member, const std::string& form,
            const char* axes, const char* help, Parse parse, Write write);
  /// \brief Describes the next key, whose other properties are set.
  void add(std::string_view name, std::string form, const char* help);

  /// \brief Reads one key from the section.
  void read(const Key& key) const;

  std::function<void(const Key&)> visit_;
  const ConfigReader* reader_ = nullptr;  ///< nullptr: nothing is read
  std::function<void()> check_choice_;
  Key next_;  ///< properties of the next key
  std::optional<Identity> identity_;
  std::vector<std::pair<std::vector<std::string_view>, Identity>> identities_;  ///< by name
};

namespace Impl {

/// \brief Collects the names of all keys, including those without effect.
struct NameKeys : Keys {
  NameKeys() : Keys([this](const Key& key) { names.push_back(key.name); }) {}

  std::vector<std::string_view> names;
};

/// \brief Writes the members to a map, without keys that would be refused.
ConfigNode written(const std::function<void(Keys&)>& describe_keys, bool on_one_line = false);

}  // namespace Impl

/// \brief Names of the keys of \p section. \p what holds further arguments of `describe`.
template <class Section, class... What>
std::vector<std::string_view> names_of_keys(Section section, const What&... what) {
  Impl::NameKeys keys;
  describe(static_cast<Keys&>(keys), section, what...);
  return keys.names;
}

/// \brief Reads the map \p node at \p path to \p section, initialised with its defaults, according
/// to its description.
template <class Section, class... What>
void read_map(const ConfigNode& node, const std::string& path, Section& section,
              const What&... what) {
  const ConfigReader reader(node, path, names_of_keys(section, what...));
  Keys keys(reader);
  describe(keys, section, what...);
}

/// \brief Reads the section \p name of \p parent to \p section, initialised with its defaults,
/// according to its description.
template <class Section, class... What>
void read_section(const ConfigReader& parent, std::string_view name, Section& section,
                  const What&... what) {
  const ConfigReader reader = parent.section(name, names_of_keys(section, what...));
  Keys keys(reader);
  describe(keys, section, what...);
}

/// \brief Writes \p section according to its description.
template <class Section, class... What>
ConfigNode written_section(Section section, const What&... what) {
  return Impl::written([&](Keys& keys) { describe(keys, section, what...); });
}

}  // namespace Tomokkos
