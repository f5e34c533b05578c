// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visitors of `describe(key, params)` (Tomokkos_Describe.hpp): the names of the keys that a struct
// of parameters has, its members from a configuration, and the configuration from its members.
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Describe.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos::Impl {

/// \brief The names of keys, also of those that have no effect beside the others.
struct NameKeys {
  std::vector<std::string_view> names;

  template <class Member, class... Rest>
  void integer(std::string_view name, Member&, Rest&&...) {
    names.push_back(name);
  }
  template <class Member>
  void one_of(std::string_view name, Member&, std::initializer_list<int>, const char*) {
    names.push_back(name);
  }
  void number(std::string_view name, double&, KeyRange, const char*) { names.push_back(name); }
  void number_or_none(std::string_view name, double&, double, KeyRange, const char*) {
    names.push_back(name);
  }
  void boolean(std::string_view name, bool&, const char*) { names.push_back(name); }
  template <class Enum>
  void name(std::string_view name, Enum&, const char*) {
    names.push_back(name);
  }
  template <class Enum>
  void name(std::string_view name, Enum&, std::initializer_list<Enum>, const char*) {
    names.push_back(name);
  }
  void count_or_auto(std::string_view name, std::optional<Ordinal>&, const char*) {
    names.push_back(name);
  }
  void constant_or_file(std::string_view name, std::optional<ConstantOrFile>&, KeyRange,
                        const char*) {
    names.push_back(name);
  }
  template <class Enum>
  NameKeys& only(std::string_view, Enum, Enum) {
    return *this;
  }
  NameKeys& required(const char*) { return *this; }
};

/// \brief The keys of a section whose struct describes them.
template <class Section>
std::vector<std::string_view> names_of_keys() {
  NameKeys keys;
  Section section;
  describe(keys, section);
  return keys.names;
}

/// \brief Members from a configuration. A key that is not there leaves its member as it is.
class ReadKeys {
 public:
  explicit ReadKeys(const ConfigReader& reader) : reader_(reader) {}

  template <class Member>
  void integer(std::string_view name, Member& member, long long least, long long most,
               const char*) {
    refuse(name);
    member =
        static_cast<Member>(reader_.integer(name, static_cast<long long>(member), least, most));
  }
  void one_of(std::string_view name, int& member, std::initializer_list<int> values, const char*) {
    refuse(name);
    member = static_cast<int>(reader_.integer(name, member, std::min(values), std::max(values)));
    if (std::find(values.begin(), values.end(), member) != values.end()) return;
    std::string allowed;
    for (const int value : values) allowed += (allowed.empty() ? "" : ", ") + std::to_string(value);
    reader_.fail(
        name, std::to_string(member) + " is none of the values that it takes; allowed: " + allowed);
  }
  void number(std::string_view name, double& member, const KeyRange& range, const char*) {
    refuse(name);
    member = reader_.number(name, member, range);
  }
  void number_or_none(std::string_view name, double& member, double none, const KeyRange& range,
                      const char*) {
    refuse(name);
    member = reader_.optional_number(name, range).value_or(none);
  }
  void boolean(std::string_view name, bool& member, const char*) {
    refuse(name);
    member = reader_.boolean(name, member);
  }
  template <class Enum>
  void name(std::string_view name, Enum& member, const char*) {
    refuse(name);
    member = reader_.choice(name, member);
  }
  template <class Enum>
  void name(std::string_view name, Enum& member, std::initializer_list<Enum> values, const char*) {
    refuse(name);
    std::vector<std::string_view> names;
    for (const Enum value : values) names.push_back(to_string(value));
    member = *from_string<Enum>(reader_.one_of(name, to_string(member), names));
  }
  void count_or_auto(std::string_view name, std::optional<Ordinal>& member, const char*) {
    refuse(name);
    if (!reader_.has(name) || is_auto(reader_, name))
      member.reset();
    else
      member = static_cast<Ordinal>(reader_.integer(name, 1, 1, max_ordinal));
  }
  void constant_or_file(std::string_view name, std::optional<ConstantOrFile>& member,
                        const KeyRange& range, const char*) {
    refuse(name);
    if (reader_.has(name)) member = read_constant_or_file(reader_, name, range);
  }
  /// \brief The next key has an effect where \p member is \p value, and is refused elsewhere.
  template <class Enum>
  ReadKeys& only(std::string_view of, Enum member, Enum value) {
    reason_.clear();
    if (member != value)
      reason_ = "has no effect with " + reader_.path_of(of) + ": " +
                std::string(to_string(member)) + "; it belongs to " + std::string(to_string(value));
    return *this;
  }
  /// \brief The next key must be there, where it has an effect.
  ReadKeys& required(const char* hint) {
    hint_ = hint;
    return *this;
  }

 private:
  void refuse(std::string_view name) {
    if (!reason_.empty())
      reader_.refuse_key(name, reason_);
    else if (hint_ != nullptr)
      reader_.require_key(name, hint_);
    reason_.clear();
    hint_ = nullptr;
  }

  const ConfigReader& reader_;
  std::string reason_;
  const char* hint_ = nullptr;
};

/// \brief Members as the effective configuration has them, without keys that would be refused.
class WriteKeys {
 public:
  explicit WriteKeys(ConfigNode& node) : node_(node) {}

  template <class Member>
  void integer(std::string_view name, const Member& member, long long, long long, const char*) {
    set(name, ConfigNode::integer(member));
  }
  void one_of(std::string_view name, int member, std::initializer_list<int>, const char*) {
    set(name, ConfigNode::integer(member));
  }
  void number(std::string_view name, double member, const KeyRange&, const char*) {
    set(name, ConfigNode::number(member));
  }
  void number_or_none(std::string_view name, double member, double none, const KeyRange&,
                      const char*) {
    set(name, member == none ? ConfigNode() : ConfigNode::number(member));
  }
  void boolean(std::string_view name, bool member, const char*) {
    set(name, ConfigNode::boolean(member));
  }
  template <class Enum>
  void name(std::string_view name, Enum member, const char*) {
    set(name, name_of(member));
  }
  template <class Enum>
  void name(std::string_view name, Enum member, std::initializer_list<Enum>, const char*) {
    set(name, name_of(member));
  }
  void count_or_auto(std::string_view name, const std::optional<Ordinal>& member, const char*) {
    set(name, Impl::count_or_auto(member));
  }
  void constant_or_file(std::string_view name, const std::optional<ConstantOrFile>& member,
                        const KeyRange&, const char*) {
    set(name, member ? Impl::constant_or_file(*member) : ConfigNode());
  }
  template <class Enum>
  WriteKeys& only(std::string_view, Enum member, Enum value) {
    leaves_out_ = member != value;
    return *this;
  }
  WriteKeys& required(const char*) { return *this; }

 private:
  void set(std::string_view name, ConfigNode value) {
    if (!leaves_out_) node_.set(std::string(name), std::move(value));
    leaves_out_ = false;
  }

  ConfigNode& node_;
  bool leaves_out_ = false;
};

}  // namespace Tomokkos::Impl
