// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <cstdint>
#include <vector>

namespace Tomokkos {
namespace Bench {

/// \brief Pattern of the columns of a generated row.
enum class ColumnPattern {
  random,    ///< any columns
  banded,    ///< single columns of a band around the diagonal
  clusters,  ///< runs of `block` columns within a band, as the numbering of a mesh gives them
  blocks,    ///< runs as in `clusters`, shared by `block` adjacent rows: several unknowns per point
  views      ///< a pair of neighbours in each of evenly spread views: pixels of a scan
};

/// \brief Quantile of the row lengths: length of the row at this share of all rows, sorted by
/// length.
struct LengthQuantile {
  double share = 0;
  Ordinal length = 0;
};

/// \brief Matrix given by the statistics of its row lengths and the pattern of its columns.
struct Profile {
  Ordinal rows = 1;
  Ordinal columns = 1;
  Offset entries = 1;    ///< met exactly
  Ordinal longest = 1;   ///< met exactly
  double sigma = 0;      ///< standard deviation of the row lengths, met within 1 %
  Ordinal shortest = 0;  ///< least length of a row
  /// Quantiles, ascending in share and length. The lengths in between are interpolated before the
  /// sum and sigma are adjusted.
  std::vector<LengthQuantile> quantiles;
  /// Width of the regular part of `hyb` at its split at two thirds of the rows. `regular_share` is
  /// the share of the entries in that part. 0: not prescribed.
  Ordinal regular_width = 0;
  double regular_share = 1;
  /// Number of adjacent rows of about equal length. These runs are in random order.
  Ordinal run = 1;
  ColumnPattern pattern = ColumnPattern::banded;
  Ordinal bandwidth = 0;  ///< columns of the band; 0: all
  Ordinal block = 1;
  std::uint64_t seed = 1;
};

/// \brief Returns the number of entries of the matrix.
inline double entry_count(const Profile& profile) { return static_cast<double>(profile.entries); }

/// \brief Returns the number of rows of the matrix.
inline double row_count(const Profile& profile) { return profile.rows; }

/// \brief Computes the lengths of the rows in the order of the rows.
///
/// Uses only integers and the bits of the engine, so the result is the same on every machine.
///
/// \throws Error naming a figure that contradicts the others
std::vector<Ordinal> row_lengths(const Profile& profile);

/// \brief Generates the matrix with sorted rows and values in [0.5, 1.5).
///
/// The columns of each row lie around the diagonal, except for `views`. The pattern depends only on
/// the profile. Uses one host thread: about a second for ten million entries. Throws as
/// `row_lengths` does.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const Profile& profile);

}  // namespace Bench

template <>
struct EnumNames<Bench::ColumnPattern> {
  static constexpr std::array<std::pair<Bench::ColumnPattern, std::string_view>, 5> names{
      {{Bench::ColumnPattern::random, "random"},
       {Bench::ColumnPattern::banded, "banded"},
       {Bench::ColumnPattern::clusters, "clusters"},
       {Bench::ColumnPattern::blocks, "blocks"},
       {Bench::ColumnPattern::views, "views"}}};
};

}  // namespace Tomokkos
