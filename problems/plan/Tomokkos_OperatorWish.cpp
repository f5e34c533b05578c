// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_OperatorWish.hpp>

namespace Tomokkos {

std::string OperatorWish::format_name() const {
  if (block_circulant() || computed()) return std::string(to_string(part));
  return stored ? std::string(to_string(format_of(*stored))) : "automatic";
}

void OperatorWish::set_format(std::string_view name) {
  part = from_string<StoredPart>(name).value_or(StoredPart::entries);
  stored = default_options(from_string<MatrixFormat>(name).value_or(MatrixFormat::csr));
  if (name == "automatic" || computed()) stored.reset();
}

StoredPrecision OperatorWish::values() const {
  if (block_circulant()) return circulant.values;
  StoredPrecision result = StoredPrecision::plain;
  if (!stored) return result;
  with_format(*stored, [&]<class Format>(const typename Format::Options& options) {
    if constexpr (requires { options.values; }) result = options.values;
  });
  return result;
}

void OperatorWish::set_values(StoredPrecision values) {
  if (block_circulant()) {
    circulant.values = values;
    return;
  }
  if (!stored) return;
  with_format(*stored, [&]<class Format>(typename Format::Options& options) {
    if constexpr (requires { options.values; }) options.values = values;
  });
}

bool OperatorWish::may_use_halves() const {
  OperatorWish changed = *this;
  changed.set_values(StoredPrecision::half);
  return values() == StoredPrecision::plain && changed.values() == StoredPrecision::half;
}

}  // namespace Tomokkos
