// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>

#include <array>
#include <cstdio>

namespace Tomokkos {

void require(bool condition, std::string_view message, const std::source_location& where) {
  if (condition) return;
  throw Error(std::string(where.function_name()) + ": " + std::string(message));
}

void require_equal(std::string_view what, long long actual, std::string_view expected_name,
                   long long expected, const std::source_location& where) {
  if (actual == expected) return;
  throw DimensionMismatch(std::string(where.function_name()) + ": " + std::string(what) + " is " +
                          std::to_string(actual) + ", but " + std::string(expected_name) + " is " +
                          std::to_string(expected));
}

std::string describe_bytes(unsigned long long bytes) {
  constexpr std::array<const char*, 6> units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024.0 && unit + 1 < units.size()) {
    amount /= 1024.0;
    ++unit;
  }
  if (unit == 0) return std::to_string(bytes) + " bytes";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f %s (%llu bytes)", amount, units[unit], bytes);
  return text.data();
}

}  // namespace Tomokkos
