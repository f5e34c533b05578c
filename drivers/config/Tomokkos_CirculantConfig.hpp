// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Types.hpp>
#include <filesystem>

namespace Tomokkos {

/// \brief `problem.block_row` and `problem.blocks`: the first row of blocks of a block-circulant
/// matrix.
struct BlockRowConfig {
  std::filesystem::path file;
  Ordinal blocks = 0;  ///< 0: as many as the file tells
};

/// \brief `operator` of block-circulant matrices.
struct CirculantSection {
  Ordinal blocks = 0;                             ///< of `problem.matrix`; 0: the problem tells
  CirculantOrder order = CirculantOrder::blocks;  ///< of `problem.matrix`
  CirculantVariant variant = CirculantVariant::automatic;
  CirculantVariant transpose_variant = CirculantVariant::automatic;
  ConfigPosition format_position;  ///< for what only the matrix can tell
};

}  // namespace Tomokkos
