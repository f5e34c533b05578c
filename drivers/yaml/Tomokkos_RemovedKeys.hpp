// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace Tomokkos {

/// \brief Message about a key or value that earlier versions accepted, with its successor. Empty
/// for any other.
///
/// \param path path of the key: `operator.variant`
/// \param value value of the key; empty: the key itself is unknown
std::string_view successor_of(std::string_view path, std::string_view value = {});

}  // namespace Tomokkos
