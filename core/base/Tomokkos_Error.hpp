// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Text.hpp>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace Tomokkos {

/// \brief Base of every exception that Tomokkos throws. Its message is meant for the person who
/// caused it, and names no function.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// \param signature the function that refused, as `std::source_location` names it; must outlive
  /// the error
  Error(const std::string& message, const char* signature)
      : std::runtime_error(message), signature_(signature) {}

  /// \brief The function that refused, without its types: `Tomokkos::Mlem::solve`. Empty where
  /// nothing but the message is known.
  std::string function() const;

 private:
  const char* signature_ = "";
};

/// \brief An argument that a function refuses: a value out of its range, a matrix that does not
/// suit a format, a method that an operator does not have. The message says which and why. Files,
/// memory and machines that fail have errors of other types.
class Refused : public Error {
 public:
  using Error::Error;
};

/// \brief Two shapes that do not fit; the message names both.
class DimensionMismatch : public Error {
 public:
  using Error::Error;
};

/// \brief A file that cannot be used as it is: truncated, malformed, out of range, of the wrong
/// type. The message begins with the file and, where there is one, the position: `scan.mtx:17: row
/// index 9 exceeds the 8 rows ...`.
class InputError : public Error {
 public:
  using Error::Error;
};

/// \brief A configuration that cannot be run; the message names file, line, key path and what is
/// allowed.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// \brief A result that could not be written (full disk, a folder in the way, no permission).
class OutputError : public Error {
 public:
  using Error::Error;
};

/// \brief More memory is needed than there is; the message says how much and for what.
class MemoryError : public Error {
 public:
  using Error::Error;
};

/// \brief Throws `Refused` with \p message when \p condition is false. `Error::function` then names
/// the calling function.
void require(bool condition, std::string_view message,
             const std::source_location& where = std::source_location::current());

/// \brief Throws `Refused` with the text that `message()` returns when \p condition is false.
/// Checks in every iteration use it, since the text is made only when it is needed.
template <class Message>
requires std::is_invocable_v<Message>
void require(bool condition, const Message& message,
             const std::source_location& where = std::source_location::current()) {
  if (!condition) require(false, std::string_view(message()), where);
}

/// \brief \p value with six digits, for messages.
std::string describe_number(double value);

/// \brief Throws `DimensionMismatch` unless \p actual equals \p expected.
///
/// \param what what is measured, for example `"length of x"`.
/// \param expected_name where the expected figure comes from, for example `"columns of A"`.
void require_equal(std::string_view what, long long actual, std::string_view expected_name,
                   long long expected,
                   const std::source_location& where = std::source_location::current());

/// \brief \p bytes for a person: `"1.50 GiB (1610612736 bytes)"`.
std::string describe_bytes(unsigned long long bytes);

}  // namespace Tomokkos
