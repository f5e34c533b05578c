// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion between descriptions and documents, used by reports and `tomokkos info`.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Description.hpp>

namespace Tomokkos {

/// \brief Converts \p description to a node of a document.
ConfigNode to_node(const Description& description);

/// \brief Converts a document to a description. Plain scalars become numbers and booleans where
/// they have that form.
Description description_of(const ConfigNode& node);

}  // namespace Tomokkos
