// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AnalyticSinogram.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_FbpStart.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PolarVolume.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Slices.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <tuple>
#include <utility>

namespace Tomokkos {
namespace {

/// Exact sinogram of a phantom for the projector of \p input: along lines for `line` and
/// `linear`, averaged over each detector element for `strip`.
std::vector<double> analytic_data(PhantomKind kind, const RunInput& input) {
  const EllipsePhantom phantom = make_phantom(kind);
  const auto& rays = *scan_of(input.rows);
  return as_config_error("problem.data: analytic", [&] {
    return analytic_sinogram(phantom, input.volume, rays.scan, rays.projector == Projector::strip);
  });
}

std::optional<double> add_noise_to(const NoiseConfig& noise, std::uint64_t seed,
                                   std::span<double> data) {
  return as_config_error("problem.noise", [&]() -> std::optional<double> {
    if (noise.kind == NoiseKind::poisson)
      return add_poisson_noise(data, noise.model, noise.counts, seed);
    if (noise.kind == NoiseKind::gaussian)
      return add_gaussian_noise(data, noise.scale, noise.sigma, seed);
    return std::nullopt;
  });
}

/// Norm of the noise in the kept rays.
double noise_of_kept(std::span<const double> clean, std::span<const double> noisy,
                     const std::vector<char>& mask) {
  double squared = 0;
  for (std::size_t i = 0; i < noisy.size(); ++i)
    if (mask[i] != 0) squared += (noisy[i] - clean[i]) * (noisy[i] - clean[i]);
  return std::sqrt(squared);
}

/// Turns the projection of a phantom in `input.data` into measurements: applies the terms of
/// the model, makes a copy for every slice, and adds \p noise, to slice j with the
/// seed `seed + j`. Returns the norm of the noise in each slice (also added to the notes);
/// empty without noise.
std::vector<double> measure_projection(const NoiseConfig& noise, std::uint64_t seed,
                                       RunInput& input) {
  std::vector<double>& data = input.data;
  const auto phantoms = static_cast<std::size_t>(input.phantoms);
  const std::size_t rows = data.size() / phantoms;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!input.multiplicative.empty()) data[i] *= input.multiplicative[i % rows];
    if (!input.background.empty()) data[i] += input.background[i % rows];
  }
  clear_masked_data(input);
  const std::vector<char>& mask = input.masks.rows;
  const std::vector<double> clean = mask.empty() ? std::vector<double>() : data;
  data.resize(rows * static_cast<std::size_t>(input.slices));
  std::vector<double> levels;
  for (std::size_t j = static_cast<std::size_t>(input.slices); j-- > 0;) {
    const std::span<double> slice(data.data() + j * rows, rows);
    if (j >= phantoms) std::copy_n(data.begin(), rows, slice.begin());
    // Process the first slice last: the others are copied from it.
    if (const auto level = add_noise_to(noise, seed + j, slice))
      levels.insert(levels.begin(),
                    mask.empty()
                        ? *level
                        : noise_of_kept({clean.data() + j % phantoms * rows, rows}, slice, mask));
  }
  clear_masked_data(input);
  if (!levels.empty())
    input.notes.set("noise_level", input.stack ? Description(levels) : Description(levels.front()));
  return levels;
}

std::vector<double> repeated(std::vector<double> values, Ordinal times) {
  const std::size_t size = values.size();
  values.resize(size * static_cast<std::size_t>(times));
  for (std::size_t i = size; i < values.size(); ++i) values[i] = values[i - size];
  return values;
}

/// Weight of each in-sector voxel: its volume divided by the mean volume of all voxels.
std::vector<double> voxel_weights(const PolarVolume& volume) {
  const PolarGrid grid(volume);
  std::vector<double> weights;
  weights.reserve(static_cast<std::size_t>(grid.block_cols()));
  double sum = 0;
  for (Ordinal column = 0; column < grid.block_cols(); ++column) {
    weights.push_back(grid.voxel_volume(grid.voxel(column * grid.blocks()).ring));
    sum += weights.back();
  }
  const double mean = sum / static_cast<double>(weights.size());
  for (double& weight : weights) weight /= mean;
  return weights;
}

/// Returns the weight of each voxel from those of the voxels of a sector; with mean 1 over the kept
/// voxels.
std::vector<double> weights_of_kept(const std::vector<double>& of_sector,
                                    const std::vector<char>& mask) {
  const std::size_t sectors = mask.size() / of_sector.size();
  std::vector<double> weights;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    weights.push_back(of_sector[i / sectors]);
    if (mask[i] == 0) continue;
    sum += weights.back();
    ++count;
  }
  for (double& weight : weights) weight *= count / sum;
  return weights;
}

/// Products of all ranks with \p columns vectors \p x, on the host: slices in natural order.
template <class ExecutionSpace, class Scalar>
std::vector<double> projected(Reconstruction<ExecutionSpace, Scalar>& parts,
                              const Vector<Scalar, typename ExecutionSpace::memory_space>& x,
                              Ordinal columns) {
  using memory_space = typename ExecutionSpace::memory_space;
  const ExecutionSpace& exec = parts.run.exec();
  const auto& [A, order] = std::tie(parts.system->A, parts.system->order);
  const auto y = allocate<Vector<Scalar, memory_space>>(
      exec, "Tomokkos::projected",
      static_cast<std::size_t>(A.num_rows()) * static_cast<std::size_t>(columns));
  A.apply(exec, Scalar(1), columns_of<const Scalar, memory_space>(x, columns), Scalar(0),
          columns_of<Scalar, memory_space>(y, columns));
  const std::vector<Scalar> host =
      Slices<ExecutionSpace, Scalar>::to_host(exec, y, columns, order.rows);
  std::vector<double> result(host.begin(), host.end());
  // Each rank has projected only its own rows.
  parts.ranks.sum(result);
  return result;
}

/// Copies the phantom to the device, for the errors of the iterates, and simulates the data.
template <class ExecutionSpace, class Scalar>
void simulate(Reconstruction<ExecutionSpace, Scalar>& parts) {
  RunInput& input = parts.input;
  const auto& order = parts.system->order;
  const bool is_split = parts.system->image_is_split;
  const auto to_solver = [&](const char* label, const std::vector<double>& values,
                             Ordinal columns) {
    return Slices<ExecutionSpace, Scalar>::to_device(parts.run.exec(), label, values, columns,
                                                     order.columns, parts.ranks.size() > 1);
  };
  const auto phantom = to_solver("Tomokkos::simulate::phantom", input.phantom, input.phantoms);
  Vector<Scalar, typename ExecutionSpace::memory_space> weights;
  if (const PolarVolume* polar = polar_volume(input.rows)) {
    const char* const label = "Tomokkos::simulate::weights";
    const std::vector<double> of_sector = voxel_weights(*polar);
    std::vector<char> kept = input.masks.columns;
    // A rank with a part of the image looks up its voxels one by one, too.
    if (is_split && kept.empty())
      kept.assign(input.phantom.size() / static_cast<std::size_t>(input.phantoms), 1);
    weights = kept.empty()
                  ? Slices<ExecutionSpace, Scalar>::to_device(parts.run.exec(), label, of_sector, 1)
                  : to_solver(label, weights_of_kept(of_sector, kept), 1);
  }
  // All sectors share the weights of their voxels, unless voxels are missing.
  const bool is_whole = input.masks.columns.empty() && !is_split;
  parts.errors.set(phantom, weights, is_whole ? input.blocks : 1, is_split);
  if (parts.problem.data == DataSource::analytic) {
    input.data = analytic_data(parts.problem.phantom->kind, input);
    return;
  }
  input.data = projected<ExecutionSpace, Scalar>(parts, phantom, input.phantoms);
  // Noise may turn a rounding error of its mean into another count.
  if (const RunRecorder* recorder = parts.options.recorder; recorder && recorder->is_rounded())
    add_rounding_errors(
        rounding_factor<Scalar>(static_cast<double>(parts.system->statistics.longest)),
        recorder->rounded_run(), input.data);
}

/// Notes counts of pairs of crystals in rows that the matrix does not hold: their sums are 0.
template <class ExecutionSpace, class Scalar>
void note_counts_of_no_row(Reconstruction<ExecutionSpace, Scalar>& parts) {
  const auto ones = allocate<Vector<Scalar, typename ExecutionSpace::memory_space>>(
      parts.run.exec(), "Tomokkos::read_stack::ones",
      static_cast<std::size_t>(parts.system->A.num_cols()));
  Kokkos::deep_copy(parts.run.exec(), ones, Scalar(1));
  note_unseen_counts(projected<ExecutionSpace, Scalar>(parts, ones, 1), parts.input);
}

/// Starts from the filtered back projection of the data, which one rank computes for all.
template <class ExecutionSpace, class Scalar>
std::vector<double> filtered_start(Reconstruction<ExecutionSpace, Scalar>& parts) {
  RunInput& input = parts.input;
  const RunRanks& ranks = parts.ranks;
  const bool is_mlem = parts.task.needs.likelihood;
  FbpStart start;
  ranks.together([&] {
    if (ranks.is_first())
      start = fbp_start<ExecutionSpace, Scalar>(parts.run.exec(), input, is_mlem);
    else
      start.images.resize(static_cast<std::size_t>(input.num_voxels()) *
                          static_cast<std::size_t>(input.slices));
  });
  ranks.sum(start.images);
  parts.print_filled(start.filled);
  if (start.raised > 0)
    parts.run.progress().message(
        "start: filtered back projection; " + std::to_string(start.raised) +
        " pixels without a positive value were raised to a thousandth of the mean, because mlem "
        "only multiplies the image");
  return std::move(start.images);
}

/// Start of the slices of `parts.input`.
template <class ExecutionSpace, class Scalar>
SliceStart start_of_slices(Reconstruction<ExecutionSpace, Scalar>& parts) {
  const StartConfig& wish = parts.solver.start;
  const RunInput& input = parts.input;
  auto& checkpoints = parts.run.checkpoints();
  const auto pixels = static_cast<std::size_t>(parts.natural().pixels);
  SliceStart start;
  if (const auto& saved = checkpoints.resumed()) {
    parts.ranks.together([&] {
      require_equal("values of the image in " + checkpoints.file().string(),
                    static_cast<long long>(saved->image.size()), "the pixels of all slices",
                    static_cast<long long>(pixels) * input.slices);
    });
    start.images.assign(saved->image.begin(), saved->image.end());
    parts.errors.set_by_slice(saved->rmse);
  } else if (wish.kind == StartKind::uniform) {
    start.uniform = true;
  } else if (wish.kind == StartKind::fbp) {
    start.images = filtered_start(parts);
  } else if (wish.image.file.empty() && input.masks.columns.empty()) {
    // A number needs no vector on the host, unless masks keep it in pixels that are left out.
    start.constant = wish.image.value;
  } else {
    parts.ranks.together([&] {
      start.images =
          repeated(read_constant_or_file(wish.image, "solver.start", image_array(input, pixels)),
                   input.slices);
    });
    if (parts.task.needs.likelihood) start.checked_as = "the start image";
  }
  return start;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
SliceData<Scalar> slices_of_input(Reconstruction<ExecutionSpace, Scalar>& parts) {
  const RunInput& input = parts.input;
  SliceData<Scalar> data;
  data.slices = input.slices;
  data.values = input.data;
  data.has_gaps = input.missing_values > 0;
  data.multiplicative = input.multiplicative;
  data.background = input.background;
  data.facts.noise_levels = parts.noise_levels;
  data.facts.view_length = input.detectors;
  if (input.all_slices > 0) data.facts.slab_begin = input.slab_begin;
  data.start = start_of_slices(parts);
  if (auto& saved = parts.run.checkpoints().resumed()) data.resumed = std::move(saved->progress);
  return data;
}

template <class ExecutionSpace, class Scalar>
SliceData<Scalar> read_stack(Reconstruction<ExecutionSpace, Scalar>& parts) {
  Run<ExecutionSpace, Scalar>& run = parts.run;
  RunInput& input = parts.input;
  run.begin("data");
  parts.ranks.together([&] {
    // Slices may take the memory that the conversion of the matrix has freed.
    release_host_memory();
    if (input.stack)
      require_room_for_stack(
          parts.task, machine_facts<ExecutionSpace, Scalar>(run.exec()), parts.kept(),
          parts.natural(),
          input.missing_values > 0 ? count_gap_patterns(input.data, input.slices) : 1);
    read_terms(parts.solver, parts.natural().rays, input);
    draw_phantom(parts.problem, input);
    run.output().set_window(input.phantom);
  });
  if (!input.phantom.empty()) simulate(parts);
  if (grids_of(input.rows).crystals > 0 && !parts.problem.rhs.empty()) note_counts_of_no_row(parts);
  std::vector<double> counted;
  parts.ranks.together([&] {
    if (!input.phantom.empty())
      parts.noise_levels = measure_projection(parts.problem.noise, parts.settings.seed, input);
    // Rays of a sinogram are filled where it is read.
    if (!parts.problem.sinogram && !input.fill_mask.empty()) fill_excluded_rays(input);
    counted = counted_rays(input.data, input.slices, input.masks.rows);
    check_negative_data(parts.problem, parts.task.needs, input);
    note_data(input);
    const std::vector<Scalar> values(input.data.begin(), input.data.end());
    run.checkpoints().set_data(values, input.multiplicative, input.background);
  });
  for (const std::string& line : describe_data(parts.problem, input)) run.progress().message(line);
  parts.print_filled(input.filled);
  SliceData<Scalar> data = slices_of_input(parts);
  data.facts.counted_rays = std::move(counted);
  return data;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                   \
  template SliceData<SCALAR> slices_of_input(Reconstruction<SPACE, SCALAR>&); \
  template SliceData<SCALAR> read_stack(Reconstruction<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
