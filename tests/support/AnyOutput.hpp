// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs of tests.
#pragma once

#include <Tomokkos_OutputGuard.hpp>

namespace Tomokkos::Testing {

/// \brief Output that replaces files of any kind.
inline const OutputKind any_output{"a file", [](const std::filesystem::path&) { return true; }};

}  // namespace Tomokkos::Testing
