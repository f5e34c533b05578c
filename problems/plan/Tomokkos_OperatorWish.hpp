// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <Tomokkos_RayTiles.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <Tomokkos_TransposeOptions.hpp>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace Tomokkos {

/// \brief Wishes for block-circulant matrices.
struct CirculantWish {
  Ordinal blocks = 0;                             ///< for `problem.matrix`; 0: given by the problem
  CirculantOrder order = CirculantOrder::blocks;  ///< for `problem.matrix`
  CirculantVariant variant = CirculantVariant::automatic;
  CirculantVariant transpose_variant = CirculantVariant::automatic;
  StoredPrecision values = StoredPrecision::plain;  ///< `plain` or `half`
};

/// \brief Part of the matrix that is stored.
enum class StoredPart {
  entries,    ///< all entries, in a storage format
  orbits,     ///< one ray of each orbit under the symmetries of the square
  block_row,  ///< the first block row of a block-circulant matrix
  nothing     ///< entries are computed in every product
};

/// \brief Values of `operator.format` that are not storage formats.
template <>
struct EnumNames<StoredPart> {
  static constexpr std::array<std::pair<StoredPart, std::string_view>, 3> names{
      {{StoredPart::orbits, "scsr"},
       {StoredPart::block_row, "block_circulant"},
       {StoredPart::nothing, "computed"}}};
};

/// \brief Storage of the matrix of a conformal map.
enum class ChartForm {
  shared,    ///< one Laplacian shared by u and v, and couplings along the border: the smallest
  complex,   ///< blocks `[a -b; b a]`
  equations  ///< two equations per triangle, assembled on the device and stored in
             ///< `operator.format`
};

template <>
struct EnumNames<ChartForm> {
  static constexpr auto names = names_up_to<ChartForm::equations>("shared", "complex", "equations");
};

/// \brief Wishes for the operator of a run: the contents of `operator` in a configuration, with all
/// defaults.
struct OperatorWish {
  StoredPart part = StoredPart::entries;
  /// Storage format and its options. Empty: chosen for the matrix and the backend (`automatic`), or
  /// nothing is stored.
  std::optional<FormatOptions> stored = CsrOptions{};
  /// Format of the stored transpose of symmetric rays in CSR: `csr` or `sell`. Empty: chosen for
  /// the backend.
  std::optional<MatrixFormat> transpose_format;
  // Used by csr.
  SpmvVariant variant = SpmvVariant::automatic;
  TransposeMethod transpose = TransposeMethod::stored;
  SpmvVariant transpose_variant = SpmvVariant::automatic;
  /// Rows + entries of a tile of `merge_path` and a section of `merge_atomic`; 0: chosen.
  Offset sections = 0;
  /// Algorithm that forms the stored transpose, in any format.
  TransposeVariant transposition = TransposeVariant::automatic;
  std::optional<double> largest_fill;
  CirculantWish circulant;
  OrderingOptions ordering;

  bool symmetric() const { return part == StoredPart::orbits; }
  bool block_circulant() const { return part == StoredPart::block_row; }
  bool computed() const { return part == StoredPart::nothing; }
  bool is_automatic() const { return !stored && !computed(); }
  bool is(MatrixFormat format) const { return stored && format_of(*stored) == format; }
  /// \brief True if one copy of the matrix, or none, serves both products.
  bool has_one_copy() const {
    return computed() || (stored && transpose_methods(format_of(*stored)).empty());
  }
  /// \brief Name of the format, or `automatic`; for `scsr` that of the stored rays.
  std::string format_name() const;
  /// \brief Sets the format with its default options from a value of `operator.format`.
  void set_format(std::string_view name);
  /// \brief Precision of the stored values.
  StoredPrecision values() const;
  void set_values(StoredPrecision values);
  /// \brief True if the format could store its values in 16 bits but does not.
  bool may_use_halves() const;
};

/// \brief Wish that leaves the format and the products to the matrix and the backend.
inline OperatorWish automatic_wish() {
  OperatorWish wish;
  wish.set_format("automatic");
  wish.transpose = TransposeMethod::automatic;
  return wish;
}

}  // namespace Tomokkos
