// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos::Bench {

/// \brief Writes JSON (RFC 8259) with two spaces per level. Objects and lists are opened and closed
/// by the caller; commas and line ends are added here.
class JsonWriter {
 public:
  void open_object() { open('{'); }
  void close_object() { close('}'); }
  void open_list() { open('['); }
  void close_list() { close(']'); }

  /// \brief Name of the member that comes next.
  void key(std::string_view name);

  void text(std::string_view value);
  void integer(unsigned long long value);
  /// \brief The shortest text that reads back to the same double; `null` for what JSON has no
  /// number for.
  void number(double value);
  void boolean(bool value);
  void null();

  /// \brief The document. \pre everything is closed.
  std::string take();

 private:
  void open(char bracket);
  void close(char bracket);
  void begin_value();
  void quote(std::string_view value);

  std::string out_;
  std::vector<bool> has_items_;  // per open level
  bool after_key_ = false;
};

}  // namespace Tomokkos::Bench
