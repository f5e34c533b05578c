// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchJson.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace Tomokkos::Bench {

void JsonWriter::begin_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) out_ += ',';
  has_items_.back() = true;
  out_ += '\n';
  out_.append(2 * has_items_.size(), ' ');
}

void JsonWriter::open(char bracket) {
  begin_value();
  out_ += bracket;
  has_items_.push_back(false);
}

void JsonWriter::close(char bracket) {
  const bool had_items = has_items_.back();
  has_items_.pop_back();
  if (had_items) {
    out_ += '\n';
    out_.append(2 * has_items_.size(), ' ');
  }
  out_ += bracket;
}

void JsonWriter::quote(std::string_view value) {
  out_ += '"';
  for (const char c : value) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (code < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", code);
      out_ += escape.data();
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

void JsonWriter::key(std::string_view name) {
  begin_value();
  quote(name);
  out_ += ": ";
  after_key_ = true;
}

void JsonWriter::text(std::string_view value) {
  begin_value();
  quote(value);
}

void JsonWriter::integer(unsigned long long value) {
  begin_value();
  out_ += std::to_string(value);
}

void JsonWriter::number(double value) {
  if (!std::isfinite(value)) {
    null();
    return;
  }
  begin_value();
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out_.append(text.data(), end);
}

void JsonWriter::boolean(bool value) {
  begin_value();
  out_ += value ? "true" : "false";
}

void JsonWriter::null() {
  begin_value();
  out_ += "null";
}

std::string JsonWriter::take() {
  out_ += '\n';
  return std::move(out_);
}

}  // namespace Tomokkos::Bench
