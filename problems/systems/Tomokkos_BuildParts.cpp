// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BuildParts.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_PreparedRows.hpp>
#include <Tomokkos_RankRows.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <Tomokkos_SplitOperator.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
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

template <class Scalar>
constexpr double csr_bytes = sizeof(Ordinal) + sizeof(Scalar);

/// Bytes per nonzero of an operator, until they are measured.
template <class Scalar>
double expected_bytes(const SystemTask& task) {
  if (!builds_tiles_directly(task)) return 2 * csr_bytes<Scalar>;
  const bool is_plain = task.wish.values() == StoredPrecision::plain;
  return 2 + (is_plain ? sizeof(Scalar) : 2);
}

/// Bytes per nonzero that rows need while they are built, if their operator has \p stored bytes.
template <class Scalar>
double bytes_to_build(const SystemTask& task, double stored) {
  // A block of rows lies beside ray tiles, which the caller's margin covers.
  if (builds_tiles_directly(task)) return stored;
  const OperatorWish& wish = task.wish;
  if (wish.is_automatic()) return std::max(stored, 2 * csr_bytes<Scalar>) + csr_bytes<Scalar>;
  if (wish.is(MatrixFormat::csr) && stored < 1.5 * csr_bytes<Scalar>) return stored;
  // The rows in CSR beside their format, or the workspace of a transposition.
  return stored + csr_bytes<Scalar>;
}

/// Bytes per nonzero of streamed rows, and while they are built on the device.
struct StreamedBytes {
  double stored, to_build;
};

template <class Scalar>
StreamedBytes streamed_bytes(const SystemTask& task, double stored) {
  if (builds_tiles_directly(task)) return {stored, stored};
  if (!task.needs.transpose) return {csr_bytes<Scalar>, csr_bytes<Scalar>};
  return {2 * csr_bytes<Scalar>, 3 * csr_bytes<Scalar>};
}

/// Number of pieces in which \p nonzeros are built. Each nonzero needs \p bytes on the device,
/// which has \p available free. With \p given shares the number does not depend on the free
/// memory, unless that is too little for a usual piece.
double pieces_of(double nonzeros, double bytes, double available, bool given) {
  const bool is_usual = given && usual_piece_bytes < 0.8 * available;
  const double piece = (is_usual ? usual_piece_bytes : 0.45 * available) / bytes;
  return std::ceil(nonzeros / std::max(piece, 1.0));
}

double nonzeros_of(const std::vector<RowRange>& ranges,
                   const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets) {
  double sum = 0;
  for (const RowRange& rows : ranges)
    sum += static_cast<double>(offsets(rows.end) - offsets(rows.begin));
  return sum;
}

}  // namespace

namespace Impl {

/// Builder of a matrix in parts. Not in an unnamed namespace, because nvcc compiles lambdas of its
/// members.
template <class ExecutionSpace, class Scalar>
class PartsBuilder {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using System = BuiltSystem<ExecutionSpace, Scalar>;

  PartsBuilder(const ExecutionSpace& exec, const SystemTask& task, const PartsWish& wish,
               const BuildObserver& observer)
      : exec_(exec), task_(task), wish_(wish), observer_(observer) {}

  System build();

 private:
  template <class Space>
  PreparedOperator<Space, Scalar> prepare_part(const Space& exec,
                                               const std::vector<RowRange>& ranges,
                                               const RowsOptions<Space>& options) const;
  SplitPlan measured_parts(const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets,
                           const RowSubsets& subsets, double& bytes_per_nonzero);
  SplitPlan given_parts(double nonzeros) const;
  void require_host_memory(const SplitPlan& plan, double bytes_per_nonzero) const;

  const ExecutionSpace& exec_;
  const SystemTask& task_;
  const PartsWish& wish_;
  const BuildObserver& observer_;
  MatrixOrder<memory_space> order_;
  Kokkos::View<const Offset*, Kokkos::HostSpace> unit_offsets_;  // of all rows in natural order
};

/// Rows of one part, built for the given backend.
template <class ExecutionSpace, class Scalar>
template <class Space>
PreparedOperator<Space, Scalar> PartsBuilder<ExecutionSpace, Scalar>::prepare_part(
    const Space& exec, const std::vector<RowRange>& ranges,
    const RowsOptions<Space>& options) const {
  using Memory = typename Space::memory_space;
  const auto natural = static_cast<Ordinal>(unit_offsets_.extent(0)) - 1;
  const auto rows = restrict_map(exec_, order_.rows, natural, ranges);
  MatrixOrder<Memory> order;
  if constexpr (std::is_same_v<Memory, memory_space>) {
    order = {rows, order_.columns};
  } else {
    order.rows = map_on_host(rows);
    if (order_.columns) order.columns = map_on_host(*order_.columns);
  }
  if (traits_of(task_.rows).is_read) {
    std::optional<IndexMap<Kokkos::HostSpace>> columns;
    if (order_.columns) columns = map_on_host(*order_.columns);
    const HostCsrMatrix<Scalar> host = RankMatrixFile<Scalar>(std::get<FileRows>(task_.rows).file)
                                           .read(map_on_host(rows), columns);
    return prepare_csr_rows<Space, Scalar>(exec, task_, copy_to<Memory>(exec, host), options);
  }
  return prepare_rows<Space, Scalar>(
      exec, task_, order, Kokkos::create_mirror_view_and_copy(Memory(), unit_offsets_), options);
}

/// Chooses the shares of the parts by the measured speed of some rows and the free memory.
template <class ExecutionSpace, class Scalar>
SplitPlan PartsBuilder<ExecutionSpace, Scalar>::measured_parts(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets, const RowSubsets& subsets,
    double& bytes_per_nonzero) {
  const auto rows = static_cast<double>(offsets.extent(0)) - 1;
  auto nonzeros = static_cast<double>(offsets(offsets.extent(0) - 1));
  const auto columns = static_cast<double>(num_cols(task_.rows));
  const bool with_host = wish_.with_host;
  // Builders need room for blocks of rows beside the matrix.
  const double vectors =
      vector_bytes(task_, task_.wish, machine_facts<ExecutionSpace, Scalar>(exec_), rows, columns) +
      3.0 * (rows + columns) * (task_.needs.vectors - 1) * sizeof(Scalar);
  const double free = std::max(0.0, static_cast<double>(available_memory(exec_)) - vectors);
  const auto sample = [&](double count) {
    const double part = std::min({0.5, count / std::max(nonzeros, 1.0),
                                  0.2 * free / (bytes_per_nonzero * std::max(nonzeros, 1.0))});
    return share_rows(offsets, subsets, {std::max(part, 1e-9), 1 - part}, 0).ranges;
  };
  const auto speed_of = [&](const auto& exec, const auto& share) {
    const double seconds = seconds_of_products(exec, share.A, true, task_.needs.vectors);
    return seconds > 0 ? static_cast<double>(share.statistics.nonzeros) / seconds : 0.0;
  };
  PartSpeeds speeds;
  {
    const std::vector<RowRange> ranges = sample(device_sample);
    const auto share = prepare_part(exec_, ranges, RowsOptions<ExecutionSpace>{});
    // The offsets count what a mask excludes.
    nonzeros *= std::max<double>(1, static_cast<double>(share.statistics.nonzeros)) /
                std::max(1.0, nonzeros_of(ranges, offsets));
    share.A.reserve_transpose(exec_);
    bytes_per_nonzero = static_cast<double>(share.A.memory_bytes()) /
                        std::max<double>(1, static_cast<double>(share.statistics.nonzeros));
    speeds.device = speed_of(exec_, share);
  }
  const double to_build = bytes_to_build<Scalar>(task_, bytes_per_nonzero);
  double capacity = Impl::is_host_space<ExecutionSpace> ? nonzeros : 0.9 * free / to_build;
  const bool overflows = nonzeros > capacity;
  const Overflow overflow = wish_.overflow;
  if (overflows && (overflow == Overflow::streamed ||
                    (overflow == Overflow::automatic && obstacle_to_streaming(task_).empty()))) {
    // Each piece keeps lists and workspace with some bytes per column on the device.
    const double bytes = streamed_bytes<Scalar>(task_, bytes_per_nonzero).to_build;
    const double pieces =
        pieces_of(nonzeros - capacity, bytes, static_cast<double>(available_memory(exec_)), false);
    capacity = std::max(0.0, capacity - (pieces + 1) * 16 * columns / to_build);
    StreamedArrays<ExecutionSpace> arrays;
    RowsOptions<ExecutionSpace> options;
    options.streamed = &arrays;
    speeds.streamed = speed_of(exec_, prepare_part(exec_, sample(device_sample), options));
  }
  if (with_host || (overflows && overflow != Overflow::streamed))
    speeds.host = speed_of(
        HostSpace(), prepare_part(HostSpace(), sample(host_sample), RowsOptions<HostSpace>{}));
  if (!Impl::is_host_space<ExecutionSpace>)
    speeds.host_overhead = 2 * columns * task_.needs.vectors * sizeof(Scalar) / copy_rate;
  try {
    return plan_split(nonzeros, capacity, speeds, with_host, overflow);
  } catch (const Refused& error) {
    throw MemoryError(std::string(error.what()) + "; " +
                      "set run.overflow: automatic, or use run.backend with two backends");
  }
}

/// Shares of the configuration: those of the device and the host, or of the device, of streaming
/// and of the host.
template <class ExecutionSpace, class Scalar>
SplitPlan PartsBuilder<ExecutionSpace, Scalar>::given_parts(double nonzeros) const {
  const std::vector<double>& shares = wish_.shares;
  double sum = 0;
  for (const double share : shares) sum += share;
  SplitPlan plan;
  plan.device = nonzeros * shares.front() / sum;
  plan.streamed = shares.size() > 2 ? nonzeros * shares[1] / sum : 0;
  plan.host = nonzeros * shares.back() / sum;
  return plan;
}

/// Checks that the host has memory for its rows and the streamed ones.
template <class ExecutionSpace, class Scalar>
void PartsBuilder<ExecutionSpace, Scalar>::require_host_memory(const SplitPlan& plan,
                                                               double bytes_per_nonzero) const {
  double bytes = plan.streamed * streamed_bytes<Scalar>(task_, bytes_per_nonzero).stored +
                 plan.host * bytes_to_build<Scalar>(task_, expected_bytes<Scalar>(task_)) +
                 2.0 * num_cols(task_.rows) * task_.needs.vectors * sizeof(Scalar);
  if (Impl::is_host_space<ExecutionSpace>)
    bytes += plan.device * bytes_to_build<Scalar>(task_, bytes_per_nonzero);
  Impl::require_memory(Impl::whole_bytes(bytes),
                       "the rows that host memory holds, streamed or for its cores, need",
                       available_host_memory(),
                       "take a coarser image, operator.values: half with ray_tiles, or several "
                       "processes on several machines");
}

template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> PartsBuilder<ExecutionSpace, Scalar>::build() {
  observer_.matrix_begins("building the matrix in parts");
  if (traits_of(task_.rows).is_read) {
    RankMatrixFile<Scalar> file(std::get<FileRows>(task_.rows).file);
    task_.check_shape(file.num_rows(), file.num_cols());
    order_ = file_order(exec_, task_, file.num_rows());
    unit_offsets_ = file.row_offsets();
  } else {
    order_ = built_order(exec_, task_);
    unit_offsets_ =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), row_offsets(exec_, task_.rows));
  }
  const auto natural = static_cast<Ordinal>(unit_offsets_.extent(0)) - 1;
  if (!order_.rows) order_.rows = identity_map(exec_, natural);
  const auto offsets = mapped_offsets(unit_offsets_, map_on_host(*order_.rows).to_natural);
  const auto [unit, begins] = subsets_of(task_);
  const RowSubsets subsets(static_cast<Ordinal>(offsets.extent(0)) - 1, task_.needs.subsets, unit,
                           begins);
  double bytes_per_nonzero = expected_bytes<Scalar>(task_);
  const auto nonzeros = static_cast<double>(offsets(offsets.extent(0) - 1));
  const SplitPlan plan = wish_.shares.empty() ? measured_parts(offsets, subsets, bytes_per_nonzero)
                                              : given_parts(nonzeros);
  observer_.message(describe_plan(plan));
  if (wish_.with_host && !(plan.host > 0))
    observer_.message(
        "warning: the cores of the host get no rows, because the copies of the image would take "
        "longer than they save");
  if (Impl::is_host_space<ExecutionSpace>)
    observer_.message(
        "warning: both backends are the host, whose cores multiply one part after the other");

  require_host_memory(plan, bytes_per_nonzero);

  // Streamed rows are built on the device in pieces.
  const std::uint64_t available = available_memory(exec_);
  const double needed_pieces =
      pieces_of(plan.streamed, streamed_bytes<Scalar>(task_, bytes_per_nonzero).to_build,
                static_cast<double>(available), !wish_.shares.empty());
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
  const auto options_of = [&]<class Space>(std::type_identity<Space>, std::size_t part) {
    RowsOptions<Space> options;
    if (observer_.wants_fingerprint) options.fingerprint = &fingerprints[part];
    return options;
  };
  // The report of the last part remains.
  const auto take = [&](std::size_t part, auto made) {
    report = std::move(made.report);
    part_statistics[part] = made.statistics;
    return std::move(made.A);
  };
  for (int i = 0; i < pieces; ++i, ++at) {
    const auto arrays = std::make_shared<StreamedArrays<ExecutionSpace>>();
    auto options = options_of(std::type_identity<ExecutionSpace>(), at);
    options.streamed = arrays.get();
    auto A = take(at, prepare_part(exec_, ranges(at), options));
    parts[at] = {ranges(at), std::move(A), std::nullopt, arrays->bytes(), arrays};
  }
  if (plan.host > 0) {
    const auto options = options_of(std::type_identity<HostSpace>(), at);
    parts[at] = {ranges(at), std::nullopt,
                 take(at, prepare_part(HostSpace(), ranges(at), options))};
  }
  if (plan.device > 0) {
    const auto options = options_of(std::type_identity<ExecutionSpace>(), 0);
    parts[0] = {ranges(0), take(0, prepare_part(exec_, ranges(0), options)), std::nullopt};
  }
  const RowStatistics statistics = statistics_of_parts(part_statistics);
  unit_offsets_ = {};
  std::uint64_t fingerprint = 0;
  for (const std::uint64_t each : fingerprints) fingerprint = fingerprint * 0x100000001b3ULL ^ each;
  SplitOperator<ExecutionSpace, Scalar> A(exec_, statistics.columns, std::move(parts));
  A.reserve_transpose(exec_);
  A.reserve(exec_, static_cast<int>(task_.needs.vectors));
  Description of_parts = Description::map();
  const double all = plan.device + plan.streamed + plan.host;
  const auto share = [&](double count) { return all > 0 ? count / all : 0.0; };
  of_parts.set("device", share(plan.device));
  of_parts.set("streamed", share(plan.streamed));
  of_parts.set("host", share(plan.host));
  of_parts.set("host_bytes", A.host_bytes());
  if (plan.seconds > 0) of_parts.set("expected_seconds", plan.seconds);
  if (plan.streaming_seconds > 0) of_parts.set("seconds_streaming", plan.streaming_seconds);
  if (plan.host_seconds > 0) of_parts.set("seconds_host", plan.host_seconds);
  report.set("memory_bytes", A.memory_bytes());
  report.set("parts", std::move(of_parts));
  observer_.matrix_built({statistics.rows, statistics.columns, statistics.nonzeros,
                          A.memory_bytes(), " in parts",
                          observer_.wants_fingerprint ? fingerprint : 0});
  return {{AnyOperator<ExecutionSpace, Scalar>(std::move(A)), statistics,
           system_matrix_bytes<Scalar>(statistics.rows, statistics.nonzeros), std::move(report)},
          std::move(order_)};
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_planned(const ExecutionSpace& exec,
                                                  const SystemTask& task, const RunPlan& planned,
                                                  const PartsWish& parts,
                                                  const BuildObserver& observer) {
  const bool is_automatic = task.wish.is_automatic();
  SystemTask changed = task;
  for (std::size_t i = 0;; ++i) {
    const PlannedWay& way = planned.ways.at(i);
    try {
      observer.way_begins(way);
      const bool is_chosen = i == 0 && is_automatic && !way.wish.is_automatic();
      if (is_chosen) observer.message(way.because);
      changed.wish = way.wish;
      auto built =
          way.in_parts
              ? Impl::PartsBuilder<ExecutionSpace, Scalar>(exec, changed, parts, observer).build()
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
      const SPACE&, const SystemTask&, const RunPlan&, const PartsWish&, const BuildObserver&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
