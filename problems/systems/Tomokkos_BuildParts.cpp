// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <Tomokkos_SplitOperator.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_SystemBuilder_impl.hpp>
#include <type_traits>
#include <utility>

namespace Tomokkos {

namespace {

using HostSpace = TOMOKKOS_HOST_SPACE;

/// Nonzeros with which the speed of a device is measured, so many that its launches do not count,
/// and of a host, so many that they do not fit into its caches.
constexpr double device_sample = 3e8, host_sample = 6e7;
/// Rate of copies between a device and page-locked memory in bytes per second, on the safe side.
constexpr double copy_rate = 2e10;
/// Bytes that rows with given shares need on the device while they are made for streaming. A
/// constant, so that the pieces, and with them the last bits, follow from the configuration.
constexpr double usual_piece_bytes = 2e9;

/// Number of pieces in which \p nonzeros are built. Each nonzero needs \p bytes on the device,
/// which has \p available free. With \p given shares the number does not depend on the free
/// memory, unless that is too little for a usual piece.
double pieces_of(double nonzeros, double bytes, double available, bool given) {
  const bool is_usual = given && usual_piece_bytes < 0.8 * available;
  const double piece = (is_usual ? usual_piece_bytes : 0.45 * available) / bytes;
  return std::ceil(nonzeros / std::max(piece, 1.0));
}

double nonzeros_of(const std::vector<RowRange>& ranges, const Impl::HostOffsets& offsets) {
  double sum = 0;
  for (const RowRange& rows : ranges)
    sum += static_cast<double>(offsets(rows.end) - offsets(rows.begin));
  return sum;
}

/// Parts by the shares of the configuration: those of the device and the host, or of the device, of
/// streaming and of the host.
SplitPlan parts_of_shares(const std::vector<double>& shares, double nonzeros) {
  double sum = 0;
  for (const double share : shares) sum += share;
  SplitPlan plan;
  plan.device = nonzeros * shares.front() / sum;
  plan.streamed = shares.size() > 2 ? nonzeros * shares[1] / sum : 0;
  plan.host = nonzeros * shares.back() / sum;
  return plan;
}

}  // namespace

namespace Impl {

/// Builder of a matrix in parts. Not in an unnamed namespace, because nvcc compiles lambdas of its
/// members.
template <class ExecutionSpace, class Scalar>
struct PartsBuilder {
  using memory_space = typename ExecutionSpace::memory_space;

  const ExecutionSpace& exec;
  const SystemTask& task;
  const PartsWish& wish;
  const BuildObserver& observer;
  MatrixOrder<memory_space> order = {};
  HostOffsets unit_offsets = {};  ///< of all rows in natural order

  BuiltSystem<ExecutionSpace, Scalar> build() {
    observer.matrix_begins("building the matrix in parts");
    if (traits_of(task.rows).is_read) {
      RankMatrixFile<Scalar> file(std::get<FileRows>(task.rows).file);
      task.check_shape(file.num_rows(), file.num_cols());
      order = built_order(exec, task, file.num_rows());
      unit_offsets = file.row_offsets();
    } else {
      order = built_order(exec, task);
      unit_offsets =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), row_offsets(exec, task.rows));
    }
    const auto natural = static_cast<Ordinal>(unit_offsets.extent(0)) - 1;
    if (!order.rows) order.rows = identity_map(exec, natural);
    const auto offsets = mapped_offsets(unit_offsets, map_on_host(*order.rows).to_natural);
    const auto [unit, begins] = subsets_of(task);
    const RowSubsets subsets(static_cast<Ordinal>(offsets.extent(0)) - 1, task.needs.subsets, unit,
                             begins);
    std::optional<double> bytes_per_nonzero;  // measured
    const auto nonzeros = static_cast<double>(offsets(offsets.extent(0) - 1));
    const SplitPlan plan = wish.shares.empty() ? measured_parts(offsets, subsets, bytes_per_nonzero)
                                               : parts_of_shares(wish.shares, nonzeros);
    observer.message(describe_plan(plan));
    if (wish.with_host && !(plan.host > 0))
      observer.message(
          "warning: the cores of the host get no rows, because the copies of the image would take "
          "longer than they save");
    if (is_host_space<ExecutionSpace>)
      observer.message(
          "warning: both backends are the host, whose cores multiply one part after the other");
    const PartBytes bytes = bytes_of_parts(task, sizeof(Scalar), bytes_per_nonzero);
    // The host needs memory for its rows, which are not measured on it, and for the streamed ones.
    double host_bytes = plan.streamed * bytes.streamed +
                        plan.host * bytes_of_parts(task, sizeof(Scalar)).to_build +
                        2.0 * num_cols(task.rows) * task.needs.vectors * sizeof(Scalar);
    if (is_host_space<ExecutionSpace>) host_bytes += plan.device * bytes.to_build;
    require_memory(
        whole_bytes(host_bytes), "the rows that host memory holds, streamed or for its cores, need",
        available_host_memory(),
        "take a coarser image, operator.values: half with ray_tiles, or several processes "
        "on several machines");
    // Streamed rows are built on the device in pieces.
    const std::uint64_t available = available_memory(exec);
    const double needed_pieces = pieces_of(plan.streamed, bytes.streamed_to_build,
                                           static_cast<double>(available), !wish.shares.empty());
    constexpr double most_pieces = 1000;
    if (needed_pieces > most_pieces)
      throw MemoryError("the device has " + describe_bytes(available) +
                        " left, in which no useful piece of the matrix can be built");
    const auto pieces = static_cast<int>(needed_pieces);
    std::vector<double> weights;
    if (plan.device > 0) weights.push_back(plan.device);
    for (int i = 0; i < pieces; ++i) weights.push_back(plan.streamed / pieces);
    if (plan.host > 0) weights.push_back(plan.host);
    const auto ranges = [&](std::size_t part) {
      return share_rows(offsets, subsets, weights, static_cast<int>(part)).ranges;
    };
    using Part = OperatorPart<ExecutionSpace, Scalar>;
    std::vector<Part> parts(weights.size());
    std::vector<RowStatistics> part_statistics(weights.size());
    std::vector<std::uint64_t> fingerprints(weights.size(), 0);
    Description report;
    std::size_t at = plan.device > 0 ? 1 : 0;
    // The report of the last part remains.
    const auto take = [&](std::size_t part, const auto& place, auto*... streamed) {
      auto made =
          build_part(place, ranges(part),
                     observer.wants_fingerprint ? &fingerprints[part] : nullptr, streamed...);
      report = std::move(made.report);
      part_statistics[part] = made.statistics;
      return std::move(made.A);
    };
    for (int i = 0; i < pieces; ++i, ++at) {
      const auto arrays = std::make_shared<StreamedArrays<ExecutionSpace>>();
      auto A = take(at, exec, arrays.get());
      parts[at] = {ranges(at), std::move(A), std::nullopt, arrays->bytes(), arrays};
    }
    if (plan.host > 0) parts[at] = {ranges(at), std::nullopt, take(at, HostSpace())};
    if (plan.device > 0) parts[0] = {ranges(0), take(0, exec), std::nullopt};
    const RowStatistics statistics = statistics_of_parts(part_statistics);
    unit_offsets = {};
    std::uint64_t fingerprint = 0;
    for (const std::uint64_t each : fingerprints)
      fingerprint = fingerprint * 0x100000001b3ULL ^ each;
    SplitOperator<ExecutionSpace, Scalar> A(exec, statistics.columns, std::move(parts));
    A.reserve_transpose(exec);
    A.reserve(exec, static_cast<int>(task.needs.vectors));
    const double all = plan.device + plan.streamed + plan.host;
    const auto share = [&](double count) { return all > 0 ? count / all : 0.0; };
    Description of_parts = describe_map({{"device", share(plan.device)},
                                         {"streamed", share(plan.streamed)},
                                         {"host", share(plan.host)},
                                         {"host_bytes", A.host_bytes()}});
    for (const auto& [name, seconds] : {std::pair{"expected_seconds", plan.seconds},
                                        {"seconds_streaming", plan.streaming_seconds},
                                        {"seconds_host", plan.host_seconds}})
      if (seconds > 0) of_parts.set(name, seconds);
    report.set("memory_bytes", A.memory_bytes());
    report.set("parts", std::move(of_parts));
    observer.matrix_built({statistics.rows, statistics.columns, statistics.nonzeros,
                           A.memory_bytes(), " in parts",
                           observer.wants_fingerprint ? fingerprint : 0});
    return {AnyOperator<ExecutionSpace, Scalar>(std::move(A)), statistics, std::move(report),
            std::move(order)};
  }

 private:
  /// Rows of one part, built for the given backend.
  ///
  /// \param fingerprint set: receives that of the rows
  /// \param streamed set: holds the entries in host memory
  template <class Space>
  BuiltSystem<Space, Scalar> build_part(const Space& place, const std::vector<RowRange>& ranges,
                                        std::uint64_t* fingerprint = nullptr,
                                        StreamedArrays<Space>* streamed = nullptr) const {
    using Memory = typename Space::memory_space;
    const auto natural = static_cast<Ordinal>(unit_offsets.extent(0)) - 1;
    const auto rows = restrict_map(exec, order.rows, natural, ranges);
    BuildObserver quiet;
    quiet.wants_fingerprint = fingerprint != nullptr;
    quiet.matrix_built = [&](const BuiltMatrix& matrix) {
      if (fingerprint != nullptr) *fingerprint = matrix.fingerprint;
    };
    SystemBuilder<Space, Scalar> builder{place, task, quiet, nullptr, true, streamed};
    if constexpr (std::is_same_v<Memory, memory_space>) {
      builder.order = {rows, order.columns};
    } else {
      builder.order.rows = map_on_host(rows);
      if (order.columns) builder.order.columns = map_on_host(*order.columns);
    }
    if (!traits_of(task.rows).is_read)
      return builder.traced_rows(Kokkos::create_mirror_view_and_copy(Memory(), unit_offsets));
    RankMatrixFile<Scalar> file(std::get<FileRows>(task.rows).file);
    const HostCsrMatrix<Scalar> host = builder.read(file);
    return builder.convert(copy_to<Memory>(place, host));
  }

  /// Chooses the shares of the parts by the measured speed of some rows and the free memory.
  SplitPlan measured_parts(const HostOffsets& offsets, const RowSubsets& subsets,
                           std::optional<double>& bytes_per_nonzero) {
    const auto rows = static_cast<double>(offsets.extent(0)) - 1;
    auto nonzeros = static_cast<double>(offsets(offsets.extent(0) - 1));
    const auto columns = static_cast<double>(num_cols(task.rows));
    const bool with_host = wish.with_host;
    // Builders need room for blocks of rows beside the matrix.
    const double vectors =
        bytes_of_stacked_vectors(task, machine_facts<ExecutionSpace, Scalar>(exec), rows, columns);
    const double free = std::max(0.0, static_cast<double>(available_memory(exec)) - vectors);
    const auto sample = [&](double count) {
      const double stored = bytes_of_parts(task, sizeof(Scalar), bytes_per_nonzero).stored;
      const double part = std::min(
          {0.5, count / std::max(nonzeros, 1.0), 0.2 * free / (stored * std::max(nonzeros, 1.0))});
      return share_rows(offsets, subsets, {std::max(part, 1e-9), 1 - part}, 0).ranges;
    };
    const auto speed_of = [&](const auto& place, const auto& share) {
      const double seconds = seconds_of_products(place, share.A, true, task.needs.vectors);
      return seconds > 0 ? static_cast<double>(share.statistics.nonzeros) / seconds : 0.0;
    };
    PartSpeeds speeds;
    {
      const std::vector<RowRange> ranges = sample(device_sample);
      const auto share = build_part(exec, ranges);
      // The offsets count what a mask excludes.
      nonzeros *= std::max<double>(1, static_cast<double>(share.statistics.nonzeros)) /
                  std::max(1.0, nonzeros_of(ranges, offsets));
      share.A.reserve_transpose(exec);
      bytes_per_nonzero = static_cast<double>(share.A.memory_bytes()) /
                          std::max<double>(1, static_cast<double>(share.statistics.nonzeros));
      speeds.device = speed_of(exec, share);
    }
    const PartBytes bytes = bytes_of_parts(task, sizeof(Scalar), bytes_per_nonzero);
    double capacity = is_host_space<ExecutionSpace> ? nonzeros : 0.9 * free / bytes.to_build;
    const bool overflows = nonzeros > capacity;
    const Overflow overflow = wish.overflow;
    if (overflows && (overflow == Overflow::streamed ||
                      (overflow == Overflow::automatic && obstacle_to_streaming(task).empty()))) {
      // Each piece keeps lists and workspace with some bytes per column on the device.
      const double pieces = pieces_of(nonzeros - capacity, bytes.streamed_to_build,
                                      static_cast<double>(available_memory(exec)), false);
      capacity = std::max(0.0, capacity - (pieces + 1) * 16 * columns / bytes.to_build);
      StreamedArrays<ExecutionSpace> arrays;
      speeds.streamed = speed_of(exec, build_part(exec, sample(device_sample), nullptr, &arrays));
    }
    if (with_host || (overflows && overflow != Overflow::streamed))
      speeds.host = speed_of(HostSpace(), build_part(HostSpace(), sample(host_sample)));
    if (!is_host_space<ExecutionSpace>)
      speeds.host_overhead = 2 * columns * task.needs.vectors * sizeof(Scalar) / copy_rate;
    try {
      return plan_split(nonzeros, capacity, speeds, with_host, overflow);
    } catch (const Refused& error) {
      throw MemoryError(std::string(error.what()) + "; " +
                        "set run.overflow: automatic, or use run.backend with two backends");
    }
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_planned(const ExecutionSpace& exec,
                                                  const SystemTask& task, PlanFacts facts,
                                                  const BuildObserver& observer) {
  facts.machine = machine_facts<ExecutionSpace, Scalar>(exec);
  try {
    if (plan_needs_sample(task, facts))
      facts.sample = sample_matrix(exec, task.rows, needs_sizes(task.wish));
  } catch (const MemoryError&) {
    // The check before the matrix is built refuses it, with the bytes.
  }
  const RunPlan planned = plan(task, facts);
  const bool is_automatic = task.wish.is_automatic();
  SystemTask changed = task;
  for (std::size_t i = 0;; ++i) {
    const PlannedWay& way = planned.ways.at(i);
    try {
      observer.way_begins(way);
      const bool is_chosen = i == 0 && is_automatic && !way.wish.is_automatic();
      if (is_chosen) observer.message(way.because);
      changed.wish = way.wish;
      auto built = way.in_parts ? Impl::PartsBuilder<ExecutionSpace, Scalar>{exec, changed,
                                                                             facts.parts, observer}
                                      .build()
                                : build_system<ExecutionSpace, Scalar>(exec, changed, observer);
      built.way = way;
      if (is_chosen) built.report.set("chosen_by", "automatic");
      if (planned.not_computed) built.report.set("not_computed", *planned.not_computed);
      return built;
    } catch (const MemoryError& error) {
      if (i + 1 == planned.ways.size()) throw;
      observer.message("warning: " + std::string(error.what()) + "; " +
                       planned.ways[i + 1].because);
    }
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                         \
  template BuiltSystem<SPACE, SCALAR> build_planned<SPACE, SCALAR>( \
      const SPACE&, const SystemTask&, PlanFacts, const BuildObserver&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
