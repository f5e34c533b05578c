// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>

namespace Tomokkos {

/// \brief How `Y = C X` of a block-circulant matrix is formed. All give the product of the expanded
/// matrix, each sum in an order of its own. (Romero, Tomas, Soriano, Blanquer 2014; figures and
/// equations are theirs.)
enum class CirculantVariant {
  basic_mv,   ///< k products with a vector, one for each row of blocks (eq. 2)
  spmm,       ///< a sparse times a dense matrix, every element of which is looked up in X by eq. 4
              ///< (fig. 1)
  mm,         ///< the same by an axpy for each entry, in two ranges of a row of X
  mm_2,       ///< the same in one range of X replicated
  maxpy_2,    ///< 2 entries at a time, of X replicated (fig. 5)
  maxpy_4,    ///< 4 of them
  maxpy_8,    ///< 8
  maxpy_16,   ///< 16
  team,       ///< a team for a row, a thread for each of its k sums (fig. 6, mended)
  registers,  ///< the k sums of a row in registers, over the lanes of a warp; one pass over the row
  replicated,  ///< the same with X replicated: no index but that of the entry, entries by four
  library,     ///< by another library's sparse times dense product (eq. 5 or 6)
  automatic    ///< one of these, by backend, k and rows: see `choose_circulant_variant`
};

template <>
struct EnumNames<CirculantVariant> {
  static constexpr std::array<std::pair<CirculantVariant, std::string_view>, 13> names{
      {{CirculantVariant::basic_mv, "basic_mv"},
       {CirculantVariant::spmm, "spmm"},
       {CirculantVariant::mm, "mm"},
       {CirculantVariant::mm_2, "mm_2"},
       {CirculantVariant::maxpy_2, "maxpy_2"},
       {CirculantVariant::maxpy_4, "maxpy_4"},
       {CirculantVariant::maxpy_8, "maxpy_8"},
       {CirculantVariant::maxpy_16, "maxpy_16"},
       {CirculantVariant::team, "team"},
       {CirculantVariant::registers, "registers"},
       {CirculantVariant::replicated, "replicated"},
       {CirculantVariant::library, "library"},
       {CirculantVariant::automatic, "automatic"}}};
};

/// \brief How the rows and columns of an expanded block-circulant matrix are numbered.
enum class CirculantOrder {
  blocks,    ///< block by block, row p m_B + i and column j n_B + l: C as it is written down
  rotations  ///< row i k + p and column l k + j: as x and y of its products lie
};

template <>
struct EnumNames<CirculantOrder> {
  static constexpr std::array<std::pair<CirculantOrder, std::string_view>, 2> names{
      {{CirculantOrder::blocks, "blocks"}, {CirculantOrder::rotations, "rotations"}}};
};

}  // namespace Tomokkos
