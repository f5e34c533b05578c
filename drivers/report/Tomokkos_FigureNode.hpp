// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Figure.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Sets every figure in \p node, under its name.
void set_figures(const std::vector<Figure>& figures, ConfigNode& node);

}  // namespace Tomokkos
