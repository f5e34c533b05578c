// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_RankBackends.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos {

void set_backend_of_rank(ConfigNode& root, const RunRanks& ranks) {
  if (!root.is_map()) return;
  ConfigNode* const run = root.find("run");
  if (run == nullptr || !run->is_map()) return;
  const ConfigNode* const of_ranks = run->find("ranks");
  if (of_ranks == nullptr || !of_ranks->is_map()) return;
  const ConfigNode* const backends = of_ranks->find("backend");
  if (backends == nullptr || !backends->is_list()) return;
  if (static_cast<int>(backends->items().size()) != ranks.size())
    fail_at(*backends, "run.ranks.backend",
            "lists " + std::to_string(backends->items().size()) + " backends for " +
                std::to_string(ranks.size()) + (ranks.size() == 1 ? " process" : " ranks") +
                "; give one for each (mpirun -n " + std::to_string(backends->items().size()) + ")");
  ConfigNode own = backends->items()[static_cast<std::size_t>(ranks.rank())];
  const std::vector<std::string_view> names = backend_names();
  if (!own.is_scalar() || std::find(names.begin(), names.end(), own.scalar()) == names.end())
    fail_at(own, "run.ranks.backend",
            (own.is_scalar() ? "\"" + own.scalar() + "\"" : std::string("the entry")) +
                " of rank " + std::to_string(ranks.rank()) +
                " is not a backend of this program; it has " + join_names(names));
  run->set("backend", std::move(own));
}

}  // namespace Tomokkos
