// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <cstdint>
#include <vector>

namespace Tomokkos {
namespace Bench {

/// \brief Where the columns of a generated row lie.
enum class ColumnPattern {
  random,    ///< anywhere
  banded,    ///< single columns of a band around the diagonal
  clusters,  ///< runs of `block` columns within a band, as the numbering of a mesh gives them
  blocks,    ///< the same runs for `block` adjacent rows: several unknowns per point
  views      ///< a pair of neighbours in each of evenly spread views: pixels of a scan
};

/// \brief "The row at this share of all rows, sorted by length, has this length."
struct LengthQuantile {
  double share = 0;
  Ordinal length = 0;
};

/// \brief A matrix given by the statistics of its row lengths and the pattern of its columns.
struct Profile {
  Ordinal rows = 1;
  Ordinal columns = 1;
  Offset entries = 1;    ///< met exactly
  Ordinal longest = 1;   ///< met exactly
  double sigma = 0;      ///< standard deviation of the row lengths, met within 1 %
  Ordinal shortest = 0;  ///< no row is shorter
  /// Ascending in both; the lengths in between are interpolated before sum and sigma are met.
  std::vector<LengthQuantile> quantiles;
  /// The split of `hyb` at two thirds of the rows: the width of its regular part and the share of
  /// the entries in there. 0: the split is left open.
  Ordinal regular_width = 0;
  double regular_share = 1;
  /// Adjacent rows of about equal length; the runs themselves are in random order.
  Ordinal run = 1;
  ColumnPattern pattern = ColumnPattern::banded;
  Ordinal bandwidth = 0;  ///< columns of the band; 0: all
  Ordinal block = 1;
  std::uint64_t seed = 1;
};

/// \brief Entries of the matrix.
inline double entry_count(const Profile& profile) { return static_cast<double>(profile.entries); }

/// \brief Rows of the matrix.
inline double row_count(const Profile& profile) { return profile.rows; }

/// \brief The lengths of the rows, in the order of the rows. Integers and the bits of the engine
/// alone: the same on every machine.
///
/// Throws `Error` naming the figure that cannot be met together with the others.
std::vector<Ordinal> row_lengths(const Profile& profile);

/// \brief The matrix: rows sorted, values in [0.5, 1.5), the columns next to the diagonal in each
/// row (but for `views`). The pattern depends on the profile alone.
///
/// On one host thread: about a second for ten million entries. Throws as `row_lengths`.
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
