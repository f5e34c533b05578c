// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reconstructs a volume, 4 slices at a time, and continues after its last checkpoint.
//   volume_in_slabs data.npy image.npy slabs      (data: slices x 60 views x 91 detectors)
#include <Tomokkos.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  using namespace Tomokkos;
  using Space = Kokkos::DefaultExecutionSpace;
  if (argc < 4) return std::cout << "usage: volume_in_slabs data.npy image.npy slabs\n", 0;
  const HostArray<double> data = read_npy<double>(argv[1]);
  const auto slices = static_cast<Ordinal>(data.shape[0]);
  int slabs_left = std::stoi(argv[3]);
  const std::filesystem::path checkpoint = std::string(argv[2]) + ".checkpoint";
  Checkpoint<float> saved;
  if (std::filesystem::exists(checkpoint)) saved = read_checkpoint<float>(checkpoint);
  VolumeProgress volume = volume_of(saved.progress).value_or(VolumeProgress{});
  SliceFile<float> file(argv[2], npy_slices, {data.shape[0], 64, 64}, volume.done);
  SlicesHandler<Space, float> writer;
  writer.take = [&](const SolveOutcome&, const auto& x, auto& images) {
    file.write(volume.done, images.on_host(Space(), x));
    volume.done += 4;
    set_volume(saved.progress, volume);
    write_checkpoint<float>(checkpoint, saved, {0});
    return --slabs_left > 0;
  };
  const ScanGeometry scan{.views = ViewAngles::evenly_spaced(60), .detectors = 91};
  SystemTask task = task_of_rows(ScanRows{{64, 64}, scan}, automatic_wish());
  task.needs.vectors = 4;
  const auto system = build_planned<Space, float>(Space(), task);
  std::cout << name_of(*system.way) << ": " << system.way->because << '\n';
  SolveOutcome outcome;
  solve_slices<Space, float>(
      Space(), task, system, {SirtParams{.iterations = 20}},
      slabs_of<float>({.slices = slices, .values = data.data}, 4, volume.done), {&writer}, outcome);
  if (volume.done == slices) file.commit();
}
