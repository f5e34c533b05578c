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
  /// \brief Returns the fingerprint as 16 hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325ULL;
};

/// \brief Writes \p value as 16 hexadecimal digits.
std::string hexadecimal(std::uint64_t value);

/// \brief Fingerprint of \p values as text. Changes with any bit of the values, and with their
/// number.
template <class Scalar>
std::string fingerprint_of(std::span<const Scalar> values);

/// \brief Fingerprint of the contents of \p file, independent of its name, time and place.
///
/// \throws InputError if the file cannot be read
std::string fingerprint_of_file(const std::filesystem::path& file);

}  // namespace Tomokkos
