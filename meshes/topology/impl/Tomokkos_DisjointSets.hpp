// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <numeric>
#include <vector>

namespace Tomokkos::Impl {

/// \brief Union-find (Tarjan, with path halving). The lowest item represents its set.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), Ordinal{0});
  }

  Ordinal find(Ordinal item) {
    while (parent(item) != item) {
      parent(item) = parent(parent(item));
      item = parent(item);
    }
    return item;
  }

  void unite(Ordinal a, Ordinal b) {
    a = find(a);
    b = find(b);
    if (a < b) {
      parent(b) = a;
    } else {
      parent(a) = b;
    }
  }

 private:
  Ordinal& parent(Ordinal item) { return parent_[static_cast<std::size_t>(item)]; }

  std::vector<Ordinal> parent_;
};

}  // namespace Tomokkos::Impl
