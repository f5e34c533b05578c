// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace Tomokkos {

/// \brief A named value for a report: what operators and formats say of themselves, without any
/// knowledge of how reports are written.
struct Figure {
  using Value = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;

  std::string name;
  Value value;

  static Figure integer(std::string name, std::int64_t value) { return {std::move(name), value}; }
  static Figure number(std::string name, double value) { return {std::move(name), value}; }
  static Figure text(std::string name, std::string value) {
    return {std::move(name), std::move(value)};
  }
  static Figure list(std::string name, std::vector<std::int64_t> values) {
    return {std::move(name), std::move(values)};
  }
};

}  // namespace Tomokkos
