// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_RayBands.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

constexpr Ordinal block_rays = 64;

}  // namespace

Offset StoredBands::rows() const {
  Offset sum = 0;
  for (unsigned g = 0; g < num_square_symmetries; ++g) sum += end[g] - begin[g];
  return sum;
}

void StoredBands::add(Ordinal slot) {
  const auto g = static_cast<unsigned>(slot) % num_square_symmetries;
  const Ordinal i = slot / static_cast<Ordinal>(num_square_symmetries);
  begin[g] = has(g) ? std::min(begin[g], i) : i;
  end[g] = std::max(end[g], i + 1);
}

void StoredBands::add(const StoredBands& others) {
  for (unsigned g = 0; g < num_square_symmetries; ++g) {
    if (!others.has(g)) continue;
    begin[g] = has(g) ? std::min(begin[g], others.begin[g]) : others.begin[g];
    end[g] = std::max(end[g], others.end[g]);
  }
}

RayBands::RayBands(std::vector<Ordinal> slots) : slots_(std::move(slots)) {
  blocks_.resize((slots_.size() + block_rays - 1) / block_rays);
  for (std::size_t ray = 0; ray < slots_.size(); ++ray) blocks_[ray / block_rays].add(slots_[ray]);
}

StoredBands RayBands::of(RowRange range) const {
  StoredBands result;
  for (Ordinal ray = range.begin; ray < range.end;) {
    if (ray % block_rays == 0 && ray + block_rays <= range.end) {
      result.add(blocks_[static_cast<std::size_t>(ray / block_rays)]);
      ray += block_rays;
    } else {
      result.add(slots_[static_cast<std::size_t>(ray++)]);
    }
  }
  return result;
}

}  // namespace Tomokkos
