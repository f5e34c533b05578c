// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Text.hpp>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace Tomokkos {

/// \brief Base class of all exceptions thrown by Tomokkos. Its message is written for users and
/// contains no function name.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// \param signature the throwing function, as reported by `std::source_location`; must outlive
  /// the error
  Error(const std::string& message, const char* signature)
      : std::runtime_error(message), signature_(signature) {}

  /// \brief Qualified name of the throwing function without template arguments, such as
  /// `Tomokkos::Mlem::solve`. Empty if unknown.
  std::string function() const;

 private:
  const char* signature_ = "";
};

/// \brief Invalid argument of a function: a value out of range, a matrix that does not suit a
/// format, an operation that an operator does not support.
///
/// The message says which argument is invalid and why. Failures of files, memory and devices have
/// other types.
class Refused : public Error {
 public:
  using Error::Error;
};

/// \brief Mismatch of two dimensions. The message gives both.
class DimensionMismatch : public Error {
 public:
  using Error::Error;
};

/// \brief Unusable input file: truncated, malformed, out of range, or of the wrong type.
///
/// The message begins with the file and, if known, the position:
/// `scan.mtx:17: row index 9 exceeds the 8 rows ...`.
class InputError : public Error {
 public:
  using Error::Error;
};

/// \brief Invalid configuration. The message gives the file, the line, the key path and the allowed
/// values.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// \brief Failure to write a result (disk full, no permission, a folder of the same name).
class OutputError : public Error {
 public:
  using Error::Error;
};

/// \brief Insufficient memory. The message says how much is needed and for what.
class MemoryError : public Error {
 public:
  using Error::Error;
};

/// \brief Throws `Refused` with \p message if \p condition is false. `Error::function` then names
/// the calling function.
void require(bool condition, std::string_view message,
             const std::source_location& where = std::source_location::current());

/// \brief Throws `Refused` with the text returned by `message()` if \p condition is false.
///
/// Builds the text only in case of an error; suitable for checks in every iteration.
template <class Message>
requires std::is_invocable_v<Message>
void require(bool condition, const Message& message,
             const std::source_location& where = std::source_location::current()) {
  if (!condition) require(false, std::string_view(message()), where);
}

/// \brief Formats \p value with six digits for messages.
std::string describe_number(double value);

/// \brief Throws `DimensionMismatch` unless \p actual equals \p expected.
///
/// \param what the checked quantity, for example `"length of x"`
/// \param expected_name the quantity it must equal, for example `"columns of A"`
void require_equal(std::string_view what, long long actual, std::string_view expected_name,
                   long long expected,
                   const std::source_location& where = std::source_location::current());

/// \brief Formats a number of bytes for messages: `"1.50 GiB (1610612736 bytes)"`.
std::string describe_bytes(unsigned long long bytes);

}  // namespace Tomokkos
