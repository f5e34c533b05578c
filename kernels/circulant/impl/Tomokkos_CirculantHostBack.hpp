// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposed product with a block-circulant matrix, without a transposed copy, on host threads.
// Each thread owns parts of X and visits all rows for their contributions to these. A value of X is
// therefore summed in the order of the rows, however the parts are cut.
#pragma once

#include <impl/Tomokkos_CirculantHostRows.hpp>
#include <impl/Tomokkos_HostPacks.hpp>
#include <impl/Tomokkos_SortedColumns.hpp>
#include <vector>

namespace Tomokkos::Impl {
inline namespace TOMOKKOS_HOST_PACKS_OF {

/// \brief Parts of X: ranges of in-sector columns times equal ranges of the values of a row.
struct CirculantGrid {
  const Ordinal* column_begins;  ///< first column of each range; after the last range, the number
                                 ///< of columns
  int columns, values;

  int parts() const { return columns * values; }
};

/// Parts per thread. Few, because each part visits all rows.
inline constexpr int host_back_parts = 2;

/// Least number of values of a row of X in a part.
inline constexpr Ordinal host_back_values = 64;

/// Number of entries sampled to find ranges of columns with equally many.
inline constexpr Offset host_back_samples = 1 << 20;

/// Returns the number of parts. A single thread needs only one.
inline int transpose_part_count(int concurrency) {
  return concurrency > 1 ? host_back_parts * concurrency : 1;
}

/// \brief Chooses ranges of columns with about the same number of entries each, from a sample of
/// the rows.
inline std::vector<Ordinal> choose_column_ranges(int concurrency, const Offset* row_offsets,
                                                 const std::uint32_t* positions, Ordinal block_rows,
                                                 Ordinal block_cols, Ordinal pitch) {
  const int ranges = std::clamp(block_cols, 1, transpose_part_count(concurrency));
  std::vector<Ordinal> begins(static_cast<std::size_t>(ranges) + 1, block_cols);
  begins.front() = 0;
  if (ranges == 1) return begins;
  // Each column counts as one entry, because there may be no entries.
  std::vector<Offset> counts(static_cast<std::size_t>(block_cols), 1);
  const CirculantPlaces places(pitch);
  const auto step = static_cast<Ordinal>(row_offsets[block_rows] / host_back_samples + 1);
  Offset total = block_cols;
  for (Offset i = 0; i < block_rows; i += step) {
    for (Offset e = row_offsets[i]; e < row_offsets[i + 1]; ++e)
      ++counts[places(positions[e]).column];
    total += row_offsets[i + 1] - row_offsets[i];
  }
  Offset before = 0;
  std::size_t range = 1;
  for (Ordinal l = 0; l < block_cols; ++l) {
    for (; range < static_cast<std::size_t>(ranges) &&
           before >= total * static_cast<Offset>(range) / ranges;
         ++range)
      begins[range] = l;
    before += counts[static_cast<std::size_t>(l)];
  }
  return begins;
}

/// \brief Chooses the parts. If there are few columns, also divides the values of a row.
inline CirculantGrid choose_circulant_grid(int concurrency,
                                           const std::vector<Ordinal>& column_begins,
                                           Ordinal width) {
  const auto columns = static_cast<int>(column_begins.size()) - 1;
  const int values = std::clamp(transpose_part_count(concurrency) / columns, 1,
                                std::max(width / host_back_values, 1));
  return {column_begins.data(), columns, values};
}

#ifdef TOMOKKOS_HOST_PACKS

/// Adds N packs (`count` values from `first` on) to the rows of X of the entries `e` to `end` of a
/// row. A row of X stays in registers while successive entries have its column.
///
/// \param doubled the row of Y
template <class Scalar>
struct BackPacks {
  template <int N>
  struct Add {
    static void run(const CirculantPass<Scalar>& pass, const CirculantPlaces& places,
                    const DoubledRow<Scalar>& doubled, Offset e, Offset end, Ordinal first,
                    int count) {
      const Ordinal width = pass.width();
      // A copy, whose members stay in registers beside the stores to X.
      const CirculantValues<Scalar> values = pass.values;
      const Scalar alpha = pass.alpha;
      while (e < end) {
        CirculantPlace place = places(pass.positions[e]);
        const std::uint32_t column = place.column;
        Scalar* const x = pass.y + (Offset{column} * width + first);
        HostVector<Scalar> sums[N];
        load_host_packs<N, Scalar>(x, count, sums);
        do {
          // Y(i, p) contributes to the place `shift + p`, modulo the width.
          const Ordinal shift = static_cast<Ordinal>(place.block) * pass.vectors;
          add_host_packs<N>(sums, alpha * values[e], doubled.from(width - shift + first));
          if (++e == end) break;
          place = places(pass.positions[e]);
        } while (place.column == column);
        store_host_packs<N, Scalar>(sums, count, x);
      }
    }
  };
};

#endif

template <class Scalar>
struct CirculantHostBack {
  CirculantPass<Scalar> pass;  // x is Y, and y is X
  Ordinal block_cols;
  CirculantPlaces places;
  CirculantGrid grid;

  // Called only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const int part) const {
    const auto share = [](Ordinal count, int index, int parts) {
      return static_cast<Ordinal>(Offset{count} * index / parts);
    };
    const Ordinal width = pass.width();
    const int of_columns = part / grid.values, of_values = part % grid.values;
    const Ordinal first = grid.column_begins[of_columns];
    const Ordinal last = grid.column_begins[of_columns + 1];
    const Ordinal begin = share(width, of_values, grid.values);
    const Ordinal end = share(width, of_values + 1, grid.values);
    for (Ordinal l = first; l < last; ++l) {
      Scalar* const x = pass.y + Offset{l} * width;
      for (Ordinal q = begin; q < end; ++q)
        x[q] = pass.beta == Scalar(0) ? Scalar(0) : pass.beta * x[q];
    }
    const Offset first_position = Offset{first} * pass.pitch;
    const Offset last_position = Offset{last} * pass.pitch;
    const auto for_rows = [&](const auto& add) {
      for (Ordinal i = 0; i < pass.block_rows; ++i) {
        const Offset row_end = pass.row_offsets[i + 1];
        Offset e = pass.row_offsets[i], e_end = row_end;
        if (first > 0)
          e = first_not_below(pass.positions, e, row_end,
                              static_cast<std::uint32_t>(first_position));
        if (last < block_cols)
          e_end = first_not_below(pass.positions, e, row_end,
                                  static_cast<std::uint32_t>(last_position));
        if (e < e_end) add(i, e, e_end);
      }
    };
#ifdef TOMOKKOS_HOST_PACKS
    if (width <= DoubledRow<Scalar>::most) {
      using Function = void (*)(const CirculantPass<Scalar>&, const CirculantPlaces&,
                                const DoubledRow<Scalar>&, Offset, Offset, Ordinal, int);
      static constexpr auto add = host_pack_table<Function, BackPacks<Scalar>::template Add>(
          std::make_integer_sequence<int, most_host_packs>());
      DoubledRow<Scalar> doubled(width);
      for_rows([&](Ordinal i, Offset e, Offset e_end) {
        doubled.take(pass.x + Offset{i} * width);
        for_host_packs<Scalar>(end - begin, [&](Ordinal of_part, int packs, int count) {
          add[static_cast<std::size_t>(packs - 1)](pass, places, doubled, e, e_end, begin + of_part,
                                                   count);
        });
      });
      return;
    }
#endif
    for_rows([&](Ordinal i, Offset e, Offset e_end) {
      for (; e < e_end; ++e) {
        const CirculantPlace place = places(pass.positions[e]);
        const Ordinal shift = static_cast<Ordinal>(place.block) * pass.vectors;
        // Y(i, p) contributes to the place `shift + p`, modulo the width: X is Y rotated in the
        // other direction.
        host_rotated_axpy(pass.alpha * pass.values[e], pass.x + Offset{i} * width,
                          shift == 0 ? 0 : width - shift, width,
                          pass.y + (Offset{place.column} * width + begin), begin, end);
      }
    });
  }
};

}  // namespace TOMOKKOS_HOST_PACKS_OF
}  // namespace Tomokkos::Impl
