// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only source that includes fmt, because fmt takes seconds to compile. No installed header
// needs it.
#define FMT_HEADER_ONLY
#if defined(__NVCC__)
// nvcc 13 cannot evaluate these at compile time and treats constexpr functions as device code.
#define FMT_CONSTEVAL
#define FMT_USE_CONSTEVAL 0
#define FMT_USE_CONSTEXPR 1
#pragma nv_diag_suppress 20208
#endif
#include <fmt/args.h>
#include <fmt/format.h>

#include <Tomokkos_Text.hpp>

namespace Tomokkos::Impl {

std::string format_values(std::string_view format, std::initializer_list<TextValue> values) {
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const TextValue& value : values)
    std::visit([&](const auto& known) { arguments.push_back(known); }, value);
  return fmt::vformat(format, arguments);
}

}  // namespace Tomokkos::Impl
