// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace Tomokkos {

/// \brief Fingerprint of a sequence of 64-bit words (FNV-1a with a mixing step). Detects accidental
/// differences; it does not protect against deliberate ones.
class Fingerprint {
 public:
  void add(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x100000001b3ULL;
    sum_ ^= sum_ >> 32;
  }
  /// \brief Adds \p bytes bytes as words. Missing bytes of the last word count as 0.
  void add(const void* data, std::size_t bytes);
  /// \brief Returns the fingerprint as 16 hexadecimal digits.
  std::string text() const;
  /// \brief Returns the upper 53 bits as a number, which a double holds exactly.
  double number() const { return static_cast<double>(sum_ >> 11); }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325ULL;
};

/// \brief Writes \p value as 16 hexadecimal digits.
std::string hexadecimal(std::uint64_t value);

/// \brief Fingerprint of \p values as text. Changes with any bit of the values, and with their
/// number.
template <class Scalar>
std::string fingerprint_of(std::span<const Scalar> values);

/// \brief Fingerprint of \p bytes bytes as a number (`Fingerprint::number`). Cost: 8 bytes in about
/// 6 cycles.
double fingerprint_number(const void* data, std::size_t bytes);

/// \brief Fingerprint of the contents of \p file, independent of its name, time and place.
///
/// \throws InputError if the file cannot be read
std::string fingerprint_of_file(const std::filesystem::path& file);

}  // namespace Tomokkos
