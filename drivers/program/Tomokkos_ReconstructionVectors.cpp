// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares the data and the start of a reconstruction for its solver.
#include <Tomokkos_ConeBeamPictures.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_FbpStart.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_SimulatedData.hpp>
#include <Tomokkos_VisitOrder.hpp>
#include <limits>

namespace Tomokkos {

namespace {

std::vector<double> repeated(std::vector<double> values, Ordinal times) {
  const std::size_t size = values.size();
  values.resize(size * static_cast<std::size_t>(times));
  for (std::size_t i = size; i < values.size(); ++i) values[i] = values[i - size];
  return values;
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

}  // namespace

template <class ExecutionSpace, class Scalar>
typename Reconstruction<ExecutionSpace, Scalar>::VectorType
Reconstruction<ExecutionSpace, Scalar>::to_solver(const char* label,
                                                  const std::vector<double>& values, Ordinal slices,
                                                  const Map& map, const char* checked_as,
                                                  double minimum,
                                                  const std::vector<Scalar>& columns) const {
  const auto check = [&]<class Space>(const Space& exec, const auto& natural) {
    if (checked_as == nullptr) return;
    try {
      require_entries<Space, Scalar>(exec, checked_as, natural, minimum,
                                     static_cast<std::size_t>(slices), context_.nan_data);
    } catch (const Error& error) {
      throw InputError(std::string(to_string(config_.solver.kind())) + ": " + error.what());
    }
  };
  if (map && ranks_.size() > 1) {
    // The complete vector may not fit on a device, so the host maps it.
    using Host = TOMOKKOS_HOST_SPACE;
    const Host host;
    const auto natural = to_device_columns<Host, Scalar>(host, label, values, slices);
    check(host, natural);
    const auto mapped =
        mapped_columns<Host, Scalar>(host, label, natural, slices, map_on_host(*map));
    const auto result = allocate<VectorType>(exec_, label, mapped.extent(0));
    Kokkos::deep_copy(exec_, result, mapped);
    exec_.fence();
    return result;
  }
  VectorType natural;
  if (columns.empty()) {
    natural = to_device_columns<ExecutionSpace, Scalar>(exec_, label, values, slices);
  } else {
    natural = allocate<VectorType>(exec_, label, columns.size());
    Kokkos::deep_copy(exec_, natural,
                      VectorView<const Scalar, Kokkos::HostSpace>(columns.data(), columns.size()));
    exec_.fence();
  }
  if (!map) return natural;
  check(exec_, natural);
  return mapped_columns<ExecutionSpace, Scalar>(exec_, label, natural, slices, *map);
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::prepare_data(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared) {
  const AnyOperator<ExecutionSpace, Scalar>& A = prepared.A;
  run_.begin("data");
  ranks_.together([&] {
    const SliceShape kept{A.num_rows(), A.num_cols()};
    const Ordinal patterns =
        input_.missing_values > 0 ? count_gap_patterns(input_.data, input_.slices) : 1;
    // The size of a slab has been chosen to fit, but other slices may lack more rays.
    if (slabs_)
      require_room_for_weights<ExecutionSpace, Scalar>(exec_, config_, kept, patterns);
    else if (input_.stack)
      require_room_for_stack<ExecutionSpace, Scalar>(
          exec_, config_, kept,
          {natural_size(order_.rows, A.num_rows()), natural_size(order_.columns, A.num_cols())},
          input_.slices, patterns);
    read_terms(config_, natural_size(order_.rows, A.num_rows()), input_);
    draw_phantom(config_, input_);
    // Slabs have no phantom, and another thread writes their pictures.
    if (!slabs_) output_.set_window(input_.phantom);
  });
  if (!input_.phantom.empty()) {
    phantom_ = to_solver("Tomokkos::Reconstruction::phantom", input_.phantom, input_.phantoms,
                         order_.columns);
    if (const PolarVolume* polar = polar_volume(input_.rows)) {
      const char* const label = "Tomokkos::Reconstruction::weights";
      const std::vector<double> weights = voxel_weights(*polar);
      std::vector<char> kept = input_.masks.columns;
      // A rank with a part of the image looks up its voxels one by one, too.
      if (image_is_split_ && kept.empty())
        kept.assign(input_.phantom.size() / static_cast<std::size_t>(input_.phantoms), 1);
      weights_ = kept.empty() ? to_device_columns<ExecutionSpace, Scalar>(exec_, label, weights, 1)
                              : to_solver(label, weights_of_kept(weights, kept), 1, order_.columns);
    }
    if (config_.problem.data == DataSource::analytic) {
      input_.data = analytic_data(config_.problem, input_);
    } else {
      const Ordinal count = input_.phantoms;
      const auto projected = allocate<VectorType>(
          exec_, "Tomokkos::Reconstruction::projected",
          static_cast<std::size_t>(A.num_rows()) * static_cast<std::size_t>(count));
      A.apply(exec_, Scalar(1), columns_of<Scalar, memory_space>(phantom_, count), Scalar(0),
              columns_of<Scalar, memory_space>(projected, count));
      const std::vector<Scalar> host =
          to_host_slices<ExecutionSpace, Scalar>(exec_, projected, count, order_.rows);
      input_.data.assign(host.begin(), host.end());
      // Each rank has projected only its own rows.
      ranks_.sum(input_.data);
      // Noise may turn a rounding error of its mean into another count.
      if (recorder_ != nullptr && recorder_->is_rounded())
        add_rounding_errors(
            rounding_factor<Scalar>(static_cast<double>(prepared.statistics.longest)),
            recorder_->rounded_run(), input_.data);
    }
  }
  if (grids_of(input_.rows).crystals > 0 && !config_.problem.rhs.empty()) {
    // Rows with a positive sum are those that the matrix holds.
    const auto ones = allocate<VectorType>(exec_, "Tomokkos::Reconstruction::ones",
                                           static_cast<std::size_t>(A.num_cols()));
    const auto sums = allocate<VectorType>(exec_, "Tomokkos::Reconstruction::row_sums",
                                           static_cast<std::size_t>(A.num_rows()));
    Kokkos::deep_copy(exec_, ones, Scalar(1));
    A.apply(exec_, Scalar(1), columns_of<Scalar, memory_space>(ones, 1), Scalar(0),
            columns_of<Scalar, memory_space>(sums, 1));
    const std::vector<Scalar> host =
        to_host_slices<ExecutionSpace, Scalar>(exec_, sums, 1, order_.rows);
    std::vector<double> row_sums(host.begin(), host.end());
    ranks_.sum(row_sums);
    note_unseen_counts(row_sums, input_);
  }
  ranks_.together([&] { load_data(); });
  if (slabs_) return;
  progress_.message(describe_data(config_, input_, input_.data));
  for (const std::string& line : describe_counts(input_)) progress_.message(line);
  if (const auto line = describe_truncation(input_)) progress_.message(*line);
  print_filled(input_.filled);
}

/// Says which values were filled for a filtered back projection, unless it was said before.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::print_filled(const FilledRays& filled) {
  if (filled.values == 0) return;
  const std::string text =
      "fbp: " + filled.describe() + " hold no measurement or are excluded, and are interpolated";
  if (text != printed_filled_) progress_.message(text);
  printed_filled_ = text;
}

/// Adds noise to the data, which are complete on the host, and copies them to the solver.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::load_data() {
  if (!input_.phantom.empty()) context_.data.noise_levels = measure_projection(config_, input_);
  // Rays of a sinogram are filled where it is read.
  if (!config_.problem.sinogram && !input_.fill_mask.empty()) fill_excluded_rays(input_);
  // The rays of slabs are counted, and their values checked, where they are read.
  if (!slabs_) {
    context_.data.counted_rays = counted_rays(input_.data, input_.slices, input_.masks.rows);
    check_negative_data(config_, input_);
    note_data(input_.data, input_);
  }
  context_.nan_data = input_.missing_values > 0 ? NanData::missing : NanData::refused;
  constexpr double anything = -std::numeric_limits<double>::infinity();
  b_ = to_solver("Tomokkos::Reconstruction::b", input_.data, input_.slices, order_.rows, "the data",
                 config_.solver.kind() == SolverKind::mlem ? 0 : anything, slab_columns_);
  slab_columns_ = {};
  // Slabs of a volume are neither written again nor part of a checkpoint.
  if (!slabs_) sinogram_.assign(input_.data.begin(), input_.data.end());

  if (!input_.multiplicative.empty())
    multiplicative_ = to_solver("Tomokkos::Reconstruction::multiplicative", input_.multiplicative,
                                1, order_.rows);
  if (!input_.background.empty())
    additive_ =
        to_solver("Tomokkos::Reconstruction::background", input_.background, 1, order_.rows);
  if (!slabs_) checkpoints_.set_data(sinogram_, input_.multiplicative, input_.background);
  if (config_.solver.kind() == SolverKind::art)
    row_order_ = rows_by_visit(exec_, sweep_.rows, order_);
  context_.block_rows = sweep_.block_rows;
  if (all_subsets_) {
    auto& begins = config_.solver.kind() == SolverKind::block_art ? context_.block_begins
                                                                  : context_.subset_begins;
    begins = subset_begins_;
  } else {
    const SubsetDivision cut = subsets_of(task_);
    context_.subset_unit = cut.unit;
    context_.subset_begins = cut.begins;
  }
  const SolverSection& solver = config_.solver;
  if (is_sart(solver.kind()))
    subset_order_ = subset_visits(solver.subsets(), solver.sweep.order, solver.sweep.seed,
                                  config_.matrix_operator.ordering.rows);
  context_.data.view_length = input_.detectors;
  if (order_.rows && !config_.solver.stop.rule_needing(Measurement::whiteness).empty()) {
    const auto natural =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order_.rows->to_natural);
    context_.data.natural.assign(natural.data(), natural.data() + natural.extent(0));
    context_.data.natural_size = order_.rows->natural_size();
  }
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::prepare_start(
    const AnyOperator<ExecutionSpace, Scalar>& A) {
  const auto columns = static_cast<std::size_t>(natural_size(order_.columns, A.num_cols()));
  if (config_.solver.start.kind == StartKind::uniform && !checkpoints_.resumed()) {
    x_ = allocate<VectorType>(
        exec_, "Tomokkos::Reconstruction::x",
        static_cast<std::size_t>(A.num_cols()) * static_cast<std::size_t>(input_.slices));
    uniform_start(exec_, A, columns_of<Scalar, memory_space>(b_, input_.slices),
                  columns_of<Scalar, memory_space>(x_, input_.slices),
                  {multiplicative_, additive_});
    return;
  }
  // A number needs no vector on the host, unless masks keep it in pixels that are left out.
  const ConstantOrFile& image = config_.solver.start.image;
  if (config_.solver.start.kind == StartKind::given && image.file.empty() &&
      input_.masks.columns.empty() && !checkpoints_.resumed()) {
    x_ = allocate<VectorType>(
        exec_, "Tomokkos::Reconstruction::x",
        static_cast<std::size_t>(A.num_cols()) * static_cast<std::size_t>(input_.slices));
    Kokkos::deep_copy(exec_, x_, static_cast<Scalar>(image.value));
    return;
  }
  if (config_.solver.start.kind == StartKind::fbp && !checkpoints_.resumed())
    start_from_fbp();
  else
    ranks_.together([&] { load_start(columns); });
}

/// Starts from the filtered back projection of the data, which one rank computes for all.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::start_from_fbp() {
  const bool is_mlem = config_.solver.kind() == SolverKind::mlem;
  FbpStart start;
  ranks_.together([&] {
    if (ranks_.is_first())
      start = fbp_start<ExecutionSpace, Scalar>(exec_, input_, is_mlem);
    else
      start.images.resize(static_cast<std::size_t>(input_.num_voxels()) *
                          static_cast<std::size_t>(input_.slices));
  });
  ranks_.sum(start.images);
  print_filled(start.filled);
  if (start.raised > 0)
    progress_.message("start: filtered back projection; " + std::to_string(start.raised) +
                      " pixels without a positive value were raised to a thousandth of the mean, "
                      "because mlem only multiplies the image");
  ranks_.together([&] {
    keep_masked_pixels(start.images);
    x_ = to_solver("Tomokkos::Reconstruction::x", start.images, input_.slices, order_.columns);
  });
}

/// Loads the start from a checkpoint, a file or a number.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::load_start(std::size_t columns) {
  if (const auto& checkpoint = checkpoints_.resumed()) {
    const std::vector<Scalar>& image = checkpoint->image;
    require_equal("values of the image in " + checkpoints_.file().string(),
                  static_cast<long long>(image.size()), "the pixels of all slices",
                  static_cast<long long>(columns) * input_.slices);
    const std::vector<double> start(image.begin(), image.end());
    keep_masked_pixels(start);
    x_ = to_solver("Tomokkos::Reconstruction::x", start, input_.slices, order_.columns);
    rmse_ = checkpoint->rmse;
    return;
  }
  const std::vector<double> start =
      repeated(read_constant_or_file(config_.solver.start.image, "solver.start",
                                     image_array(input_, columns)),
               input_.slices);
  keep_masked_pixels(start);
  x_ = to_solver("Tomokkos::Reconstruction::x", start, input_.slices, order_.columns,
                 config_.solver.kind() == SolverKind::mlem ? "the start image" : nullptr);
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::keep_masked_pixels(const std::vector<double>& start) {
  if (!input_.masks.columns.empty()) masked_start_.assign(start.begin(), start.end());
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                   \
  template void Reconstruction<ExecutionSpace, Scalar>::prepare_data(  \
      const PreparedOperator<ExecutionSpace, Scalar>&);                \
  template void Reconstruction<ExecutionSpace, Scalar>::prepare_start( \
      const AnyOperator<ExecutionSpace, Scalar>&);                     \
  template void Reconstruction<ExecutionSpace, Scalar>::print_filled(const FilledRays&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
