// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>

#include <array>
#include <cstdio>

namespace Tomokkos {

namespace {

/// Reduces a full signature to a qualified name such as `Tomokkos::Mlem::solve`, without template
/// arguments. Returns signatures of an unexpected form unchanged.
std::string bare_name(const char* signature) {
  const std::string_view all(signature);
  std::string name;
  int depth = 0;
  for (const char c : all.substr(0, all.find(" [with "))) {
    if (c == '<') ++depth;
    if (depth == 0 && c == '(') return name.empty() || name == "decltype" ? signature : name;
    if (depth == 0 && (c == ' ' || c == '*' || c == '&'))
      name.clear();  // discards the return type
    else if (depth == 0)
      name += c;
    if (c == '>') --depth;
  }
  return signature;
}

}  // namespace

std::string Error::function() const { return bare_name(signature_); }

void require(bool condition, std::string_view message, const std::source_location& where) {
  if (condition) return;
  throw Refused(std::string(message), where.function_name());
}

void require_equal(std::string_view what, long long actual, std::string_view expected_name,
                   long long expected, const std::source_location& where) {
  if (actual == expected) return;
  throw DimensionMismatch(
      Impl::text("{} is {}, but {} is {}", what, actual, expected_name, expected),
      where.function_name());
}

std::string describe_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string describe_bytes(unsigned long long bytes) {
  constexpr std::array<const char*, 6> units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024.0 && unit + 1 < units.size()) {
    amount /= 1024.0;
    ++unit;
  }
  if (unit == 0) return Impl::text("{} bytes", bytes);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f %s (%llu bytes)", amount, units[unit], bytes);
  return text.data();
}

}  // namespace Tomokkos
