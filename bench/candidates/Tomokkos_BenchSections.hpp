// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "Tomokkos_BenchOptions.hpp"

namespace Tomokkos::Bench {

/// \brief Forward variant of CSR with the name of the candidate.
struct NamedOptions {
  SpmvOptions options;
  std::string name;
};

/// \brief Returns \p variant with each of the requested section sizes, named by the size used.
///
/// Tiles of `merge_path` that are too small for a path of \p path_length = rows + nonzeros are
/// enlarged. Sizes that become equal give one candidate.
inline std::vector<NamedOptions> in_sections(const BenchOptions& options, SpmvVariant variant,
                                             Offset path_length) {
  NamedOptions whole;
  whole.options.variant = variant;
  whole.options.deterministic = options.deterministic;
  whole.name = to_string(variant);
  const auto sections = options.sections.find(variant);
  if (sections == options.sections.end()) return {whole};
  std::vector<NamedOptions> result;
  for (const int asked : sections->second) {
    Offset items = asked;
    if (variant == SpmvVariant::merge_path)
      items = std::max(items, Impl::least_items_per_tile(path_length));
    const std::string name = Impl::text("{}:{}", whole.name, items);
    if (std::any_of(result.begin(), result.end(),
                    [&](const NamedOptions& one) { return one.name == name; }))
      continue;
    result.push_back({whole.options, name});
    result.back().options.items_per_tile = items;
  }
  return result;
}

}  // namespace Tomokkos::Bench
