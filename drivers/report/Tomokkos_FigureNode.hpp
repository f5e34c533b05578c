// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Figure.hpp>
#include <Tomokkos_ForEach.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Sets every figure in \p node, under its name.
void set_figures(const std::vector<Figure>& figures, ConfigNode& node);

/// \brief `bytes(sizeof(Scalar))` of every scalar, by its name.
template <class Bytes>
ConfigNode bytes_by_scalar(const Bytes& bytes) {
  ConfigNode node = ConfigNode::map(true);
#define TOMOKKOS_ADD(SCALAR) \
  node.set(scalar_name<SCALAR>(), ConfigNode::integer(bytes(sizeof(SCALAR))));
  TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_ADD)
#undef TOMOKKOS_ADD
  return node;
}

}  // namespace Tomokkos
