// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Description.hpp>
#include <algorithm>

namespace Tomokkos {

Description::Description() = default;
Description::Description(const Description& other) = default;
Description::Description(Description&& other) noexcept = default;
Description& Description::operator=(const Description& other) = default;
Description& Description::operator=(Description&& other) noexcept = default;
Description::~Description() = default;

Description::Description(Kind kind, bool on_one_line) : kind_(kind), on_one_line_(on_one_line) {}

Description Description::map(bool on_one_line) { return {Kind::map, on_one_line}; }
Description Description::list(bool on_one_line) { return {Kind::list, on_one_line}; }

const Description* Description::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? nullptr
                               : &items_[static_cast<std::size_t>(found - names_.begin())];
}

Description& Description::set(std::string_view name, Description described) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto at = static_cast<std::size_t>(found - names_.begin());
  if (found == names_.end()) names_.emplace_back(name);
  items_.resize(names_.size());
  items_[at] = std::move(described);
  return *this;
}

Description& Description::set_if(std::string_view name, Description described) {
  return described.is_empty() ? *this : set(name, std::move(described));
}

Description& Description::set_all(const Description& other) {
  for (std::size_t i = 0; i < other.names_.size(); ++i) set(other.names_[i], other.items_[i]);
  return *this;
}

Description& Description::add(Description described) {
  items_.push_back(std::move(described));
  return *this;
}

}  // namespace Tomokkos
