// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_RankBackends.hpp>
#include <string>

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
  run->set("backend", std::move(own));
}

}  // namespace Tomokkos
