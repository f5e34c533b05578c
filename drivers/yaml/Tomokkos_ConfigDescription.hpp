// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions as documents. Reports and `info` are the only things made so.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_ForEach.hpp>

namespace Tomokkos {

/// \brief \p description as a node of a document.
ConfigNode to_node(const Description& description);

/// \brief The description of a document that was read: plain scalars are the numbers and truths
/// that they look like.
Description description_of(const ConfigNode& node);

/// \brief Describes `bytes(sizeof(Scalar))` of every scalar, by its name.
template <class Bytes>
Description bytes_by_scalar(const Bytes& bytes) {
  Description description = Description::map(true);
#define TOMOKKOS_ADD(SCALAR) description.set(scalar_name<SCALAR>(), bytes(sizeof(SCALAR)));
  TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_ADD)
#undef TOMOKKOS_ADD
  return description;
}

}  // namespace Tomokkos
