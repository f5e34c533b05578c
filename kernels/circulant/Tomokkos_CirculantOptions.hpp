// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>

namespace Tomokkos {

/// \brief Algorithm for `Y = C X` with a block-circulant matrix.
///
/// All algorithms give the product of the expanded matrix, each with its own order of summation.
/// Figures and equations refer to Romero, Tomas, Soriano, Blanquer 2014.
enum class CirculantVariant {
  basic_mv,    ///< k products with a vector, one for each row of blocks (eq. 2)
  spmm,        ///< sparse times dense product that looks up every element of the dense matrix in X
               ///< by eq. 4 (fig. 1)
  mm,          ///< axpy for each entry, in two ranges of a row of X
  mm_2,        ///< axpy for each entry, in one range of X replicated
  maxpy_2,     ///< 2 entries at a time, with X replicated (fig. 5)
  maxpy_4,     ///< 4 entries at a time
  maxpy_8,     ///< 8 entries at a time
  maxpy_12,    ///< 12 entries at a time
  maxpy_16,    ///< 16 entries at a time
  team,        ///< a team per row, a thread for each of its k sums (fig. 6, corrected)
  registers,   ///< the k sums of a row in the registers of a warp; one pass over the row
  replicated,  ///< as registers, with X replicated: needs only the index of the entry; four entries
               ///< at a time
  library,     ///< the sparse times dense product of another library (eq. 5 or 6)
  automatic    ///< chosen by backend, k and rows: see `choose_circulant_variant`
};

template <>
struct EnumNames<CirculantVariant> {
  static constexpr auto names = names_up_to<CirculantVariant::automatic>(
      "basic_mv", "spmm", "mm", "mm_2", "maxpy_2", "maxpy_4", "maxpy_8", "maxpy_12", "maxpy_16",
      "team", "registers", "replicated", "library", "automatic");
};

/// \brief Numbering of the rows and columns of an expanded block-circulant matrix.
enum class CirculantOrder {
  blocks,    ///< block by block, row p m_B + i and column j n_B + l: C as usually written
  rotations  ///< row i k + p and column l k + j: the order of x and y in the products
};

template <>
struct EnumNames<CirculantOrder> {
  static constexpr std::array<std::pair<CirculantOrder, std::string_view>, 2> names{
      {{CirculantOrder::blocks, "blocks"}, {CirculantOrder::rotations, "rotations"}}};
};

}  // namespace Tomokkos
