// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ArrayShape.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Masks.hpp>
#include <Tomokkos_Npy.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

bool is_kept(const std::vector<char>& mask, Ordinal index) {
  return mask.empty() || mask[static_cast<std::size_t>(index)] != 0;
}

}  // namespace

std::uint64_t with_masks(std::uint64_t fingerprint, const MatrixMasks& masks) {
  ValueHash hash{fingerprint};
  for (const auto* mask : {&masks.rows, &masks.columns})
    for (const char kept : *mask) hash.add(kept != 0 ? 2U : 1U);
  return hash.result;
}

std::vector<char> read_mask(const std::filesystem::path& file, const std::string& key,
                            const std::vector<std::size_t>& lengths, const std::string& names) {
  const HostArray<double> array = [&] {
    try {
      return read_npy<double>(file);
    } catch (const InputError& error) {
      throw InputError(key + ": " + error.what());
    }
  }();
  if (array.shape != lengths)
    throw DimensionMismatch(key + ": " + file.string() + " is " + shape_text(array.shape) +
                            ", expected " + shape_text(lengths) + " (" + names + ")");
  std::vector<char> mask(array.data.size());
  std::transform(array.data.begin(), array.data.end(), mask.begin(),
                 [](double value) { return static_cast<char>(value != 0.0); });
  if (std::find(mask.begin(), mask.end(), char{1}) == mask.end())
    throw InputError(key + ": " + file.string() + " keeps nothing: all its " + shape_text(lengths) +
                     " (" + names + ") values are 0");
  return mask;
}

Ordinal count_kept(const std::vector<char>& mask, Ordinal all) {
  return mask.empty() ? all : static_cast<Ordinal>(std::count(mask.begin(), mask.end(), char{1}));
}

std::vector<Ordinal> kept_of(std::vector<Ordinal> order, const std::vector<char>& mask) {
  order.erase(std::remove_if(order.begin(), order.end(),
                             [&](Ordinal index) { return !is_kept(mask, index); }),
              order.end());
  return order;
}

std::vector<Ordinal> positions_among_kept(std::vector<Ordinal> indices,
                                          const std::vector<char>& mask) {
  if (mask.empty()) return indices;
  std::vector<Ordinal> before(mask.size());
  Ordinal count = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    before[i] = count;
    count += mask[i] != 0 ? 1 : 0;
  }
  for (Ordinal& index : indices) index = before[static_cast<std::size_t>(index)];
  return indices;
}

std::vector<Ordinal> begins_of_kept(const std::vector<Ordinal>& order, const RowSubsets& subsets,
                                    const std::vector<char>& mask) {
  const auto all = static_cast<Ordinal>(order.size());
  std::vector<Ordinal> begins;
  Ordinal row = 0, count = 0;
  for (int i = 0; i < subsets.count(); ++i) {
    for (; row < subsets[i].resolved(all).begin; ++row)
      count += is_kept(mask, order[static_cast<std::size_t>(row)]) ? 1 : 0;
    begins.push_back(count);
  }
  return begins;
}

}  // namespace Tomokkos
