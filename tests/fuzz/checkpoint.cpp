// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints: the input is used as the archive, and as its members.
#include <Tomokkos_Checkpoint.hpp>

#include "FuzzTarget.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Fuzz;

const std::vector<const char*> names{"image.npy", "history.npy", "slices.npy", "state.yaml"};

bool run(const std::string& bytes) {
  const ScratchFile file("checkpoint.npz", bytes);
  return accepts([&] {
    const auto checkpoint = read_checkpoint<float>(file.path());
    const SolveProgress& progress = checkpoint.progress;
    check(progress.iteration >= 0, "the number of iterations is not negative");
    check(progress.results.size() == progress.active.size(), "each slice has its state");
  });
}

bool run_members(const std::string& bytes) { return run(archive_of(names, bytes)); }

std::vector<std::string> seeds() {
  Checkpoint<float> checkpoint;
  checkpoint.texts = {{"matrix", "2 x 4"}, {"configuration", "a: 1\nb: 2\n"}};
  checkpoint.progress.iteration = 2;
  checkpoint.progress.results.resize(1);
  auto& history = checkpoint.progress.results[0].history;
  history.resize(3);
  for (int k = 0; k < 3; ++k) history[static_cast<std::size_t>(k)].iteration = k;
  checkpoint.progress.active = {true};
  checkpoint.rmse.resize(1);
  checkpoint.image = {1, 2, 3, 4};
  return {bytes_written("seed.npz", [&](const auto& path) {
    write_checkpoint(path, checkpoint, {2, 2});
  })};
}

std::vector<std::string> seeds_of_members() { return {members_of(names, seeds().front())}; }

TOMOKKOS_FUZZ_TARGET(checkpoint, run, seeds);
TOMOKKOS_FUZZ_TARGET(checkpoint_members, run_members, seeds_of_members);

}  // namespace
