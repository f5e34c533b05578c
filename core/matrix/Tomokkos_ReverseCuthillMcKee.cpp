// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Orderings.hpp>
#include <algorithm>

namespace Tomokkos {
namespace {

/// Graph of A + A^T, without loops and with each neighbour once.
class SymmetricGraph {
 public:
  SymmetricGraph(std::span<const Offset> row_offsets, std::span<const Ordinal> columns)
      : offsets_(row_offsets.size(), 0) {
    const std::size_t size = row_offsets.size() - 1;
    const auto for_each_edge = [&](const auto& visit) {
      for (std::size_t row = 0; row < size; ++row)
        for (Offset k = row_offsets[row]; k < row_offsets[row + 1]; ++k) {
          const auto column = static_cast<std::size_t>(columns[static_cast<std::size_t>(k)]);
          if (column != row) visit(row, column);
        }
    };
    for_each_edge([&](std::size_t row, std::size_t column) {
      ++offsets_[row + 1];
      ++offsets_[column + 1];
    });
    for (std::size_t i = 0; i < size; ++i) offsets_[i + 1] += offsets_[i];
    neighbours_.resize(static_cast<std::size_t>(offsets_[size]));
    std::vector<Offset> next(offsets_.begin(), offsets_.end() - 1);
    for_each_edge([&](std::size_t row, std::size_t column) {
      neighbours_[static_cast<std::size_t>(next[row]++)] = static_cast<Ordinal>(column);
      neighbours_[static_cast<std::size_t>(next[column]++)] = static_cast<Ordinal>(row);
    });
    // Removes duplicates from each list and closes the gaps.
    Offset end = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto first = neighbours_.begin() + offsets_[i];
      const auto last = neighbours_.begin() + next[i];
      std::sort(first, last);
      const Offset count = std::unique(first, last) - first;
      std::copy(first, first + count, neighbours_.begin() + end);
      offsets_[i] = end;
      end += count;
    }
    offsets_[size] = end;
  }

  Offset degree(Ordinal i) const {
    return offsets_[static_cast<std::size_t>(i) + 1] - offsets_[static_cast<std::size_t>(i)];
  }
  std::span<const Ordinal> neighbours(Ordinal i) const {
    return {neighbours_.data() + offsets_[static_cast<std::size_t>(i)],
            static_cast<std::size_t>(degree(i))};
  }
  bool comes_before(Ordinal a, Ordinal b) const {
    return degree(a) != degree(b) ? degree(a) < degree(b) : a < b;
  }

 private:
  std::vector<Offset> offsets_;
  std::vector<Ordinal> neighbours_;
};

/// Repeated breadth-first searches in the same component.
class LevelSearch {
 public:
  LevelSearch(const SymmetricGraph& graph, std::size_t size) : graph_(graph), seen_(size, 0) {}

  bool was_seen(Ordinal i) const { return seen_[static_cast<std::size_t>(i)] != 0; }

  /// Searches the component of `start` and stores it in `visited`, level by level. Returns the
  /// number of levels.
  int run(Ordinal start, bool by_degree) {
    ++search_;
    visited.assign(1, start);
    seen_[static_cast<std::size_t>(start)] = search_;
    int levels = 0;
    for (std::size_t begin = 0; begin < visited.size(); ++levels) {
      last_level = begin;
      const std::size_t end = visited.size();
      for (; begin < end; ++begin) {
        const std::size_t first = visited.size();
        for (const Ordinal neighbour : graph_.neighbours(visited[begin])) {
          if (seen_[static_cast<std::size_t>(neighbour)] == search_) continue;
          seen_[static_cast<std::size_t>(neighbour)] = search_;
          visited.push_back(neighbour);
        }
        if (by_degree)
          std::sort(visited.begin() + static_cast<Offset>(first), visited.end(),
                    [&](Ordinal a, Ordinal b) { return graph_.comes_before(a, b); });
      }
    }
    return levels;
  }

  std::vector<Ordinal> visited;
  std::size_t last_level = 0;  ///< start of the last level in `visited`

 private:
  const SymmetricGraph& graph_;
  std::vector<Offset> seen_;
  Offset search_ = 0;
};

}  // namespace

std::vector<Ordinal> reverse_cuthill_mckee(std::span<const Offset> row_offsets,
                                           std::span<const Ordinal> columns) {
  std::vector<Ordinal> order;
  if (row_offsets.size() <= 1) return order;
  const std::size_t size = row_offsets.size() - 1;
  for (const Ordinal column : columns)
    require(
        column >= 0 && static_cast<std::size_t>(column) < size,
        Impl::text("column {} has no row: the matrix must be square, with {} rows", column, size));
  const SymmetricGraph graph(row_offsets, columns);
  LevelSearch search(graph, size);
  order.reserve(size);
  for (Ordinal seed = 0; static_cast<std::size_t>(seed) < size; ++seed) {
    if (search.was_seen(seed)) continue;
    // Moves between far ends until the component has no further levels.
    Ordinal start = seed;
    for (int levels = search.run(start, false);;) {
      const Ordinal other = *std::min_element(
          search.visited.begin() + static_cast<Offset>(search.last_level), search.visited.end(),
          [&](Ordinal a, Ordinal b) { return graph.comes_before(a, b); });
      const int other_levels = search.run(other, false);
      if (other_levels <= levels) break;
      levels = other_levels;
      start = other;
    }
    search.run(start, true);
    order.insert(order.end(), search.visited.begin(), search.visited.end());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace Tomokkos
