// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion between descriptions and documents, used by reports and `tomokkos info`.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_ForEach.hpp>

namespace Tomokkos {

/// \brief Converts \p description to a node of a document.
ConfigNode to_node(const Description& description);

/// \brief Converts a document to a description. Plain scalars become numbers and booleans where
/// they have that form.
Description description_of(const ConfigNode& node);

/// \brief Describes `bytes(sizeof(Scalar))` for every scalar, by the name of the scalar.
template <class Bytes>
Description bytes_by_scalar(const Bytes& bytes) {
  Description description = Description::map(true);
#define TOMOKKOS_ADD(SCALAR) description.set(scalar_name<SCALAR>(), bytes(sizeof(SCALAR)));
  TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_ADD)
#undef TOMOKKOS_ADD
  return description;
}

}  // namespace Tomokkos
