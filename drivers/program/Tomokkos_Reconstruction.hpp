// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_ExplainedData.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_Run.hpp>
#include <Tomokkos_RunCheckpoints.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_RunPlan.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_SliceVectors.hpp>
#include <Tomokkos_SubsetDivision.hpp>
#include <Tomokkos_SweepOrder.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Tomokkos {

namespace Impl {

/// A slab that has been read, with what a pass over its data finds.
template <class Scalar>
struct ReadSlab {
  RunInput input;
  double smallest = 0, largest = 0;  ///< of the data
  double clamped_negative = 0;       ///< number of values
  std::vector<double> fingerprints;  ///< of the data of each slice, as they were read
  std::vector<double> counted_rays;  ///< of each slice that is solved
  std::vector<Scalar> columns;       ///< the data, side by side
};

}  // namespace Impl

/// \brief Runs a reconstruction on one backend in one precision: input, matrix, data, solver,
/// output. Writes nothing before the solver has accepted its input.
///
/// Slices that do not fit in memory together are divided into slabs, each of them a stack.
///
/// A stack of slices is solved together, with one pass over the matrix per product. Vectors on the
/// device hold the slices as columns, row-major. On the host and in files, slices follow each
/// other. A single slice is a stack of one.
///
/// The solver and all vectors on the device use the order of the configuration. Data on the host
/// are in natural order.
///
/// Each rank holds some rows of the matrix and the corresponding entries of vectors on the device,
/// by maps that leave out the other rows. Data on the host are complete on every rank; the first
/// rank writes.
template <class ExecutionSpace, class Scalar>
class Reconstruction {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param options with ranks
  Reconstruction(const RunConfig& config, const RunOptions& options);

  /// \brief Performs the run and returns the exit status.
  int run();

 private:
  using VectorType = Vector<Scalar, memory_space>;
  using State = MonitorState<ExecutionSpace, Scalar>;
  using Results = std::vector<SolveResult>;

  PreparedOperator<ExecutionSpace, Scalar> prepare_matrix();
  BuiltSystem<ExecutionSpace, Scalar> build_whole_or_parts();
  BuildObserver build_observer();
  void require_parts() const;
  BuiltSystem<ExecutionSpace, Scalar> build_on_ranks();
  void set_task();
  void choose(OperatorWish wish);
  void print_matrix(Ordinal rows, Ordinal columns, Offset nonzeros, std::size_t bytes,
                    const std::string& how);
  /// Length of a vector before an order and masks are applied.
  static Ordinal natural_size(const std::optional<IndexMap<memory_space>>& map, Ordinal mapped) {
    return map ? map->natural_size() : mapped;
  }
  void prepare_data(const PreparedOperator<ExecutionSpace, Scalar>& prepared);
  void load_data();
  void prepare_start(const AnyOperator<ExecutionSpace, Scalar>& A);
  void print_filled(const FilledRays& filled);
  void start_from_fbp();
  void load_start(std::size_t columns);
  void solve(const PreparedOperator<ExecutionSpace, Scalar>& prepared);
  int solve_slabs(const PreparedOperator<ExecutionSpace, Scalar>& prepared);
  Results resume_volume();
  void check_data_of_volume(Ordinal size, std::optional<double> center) const;
  void warn_of_new_suspicions(RunInput& slab);
  Ordinal take_slab(Impl::ReadSlab<Scalar>&& slab);
  SolveProgress progress_of(const Results& results) const;
  void prepare_folder() const;
  void report_volume(const PreparedOperator<ExecutionSpace, Scalar>& prepared, RunSolution&& all);
  std::string observe(const ExecutionSpace& exec, const State& state);
  void write_checkpoint(const ExecutionSpace& exec, const State& state);
  void measure_distances(const ExecutionSpace& exec, const State& state);
  void write_results(const PreparedOperator<ExecutionSpace, Scalar>& prepared,
                     const Results& results);
  void set_results(const Results& results, const std::vector<Scalar>& image,
                   Description& result) const;
  Description report(const PreparedOperator<ExecutionSpace, Scalar>& prepared,
                     const Results& results, const std::vector<Scalar>& image);

  using Map = std::optional<IndexMap<memory_space>>;
  /// Converts natural \p values to a vector of the solver. If \p checked_as is given, first checks
  /// for entries below \p minimum, so that messages use natural indices. \p columns may hold the
  /// values side by side.
  VectorType to_solver(const char* label, const std::vector<double>& values, Ordinal slices,
                       const Map& map, const char* checked_as = nullptr, double minimum = 0,
                       const std::vector<Scalar>& columns = {}) const;
  /// Current solution in natural order. Masked pixels keep their start values.
  std::vector<Scalar> natural_solution(const ExecutionSpace& exec) const;
  /// Sets masked pixels of \p images to those of \p start, unless that is empty.
  void keep_start_of_masked(const std::vector<Scalar>& start, std::span<Scalar> images) const;
  /// Saves the start values of masked pixels.
  void keep_masked_pixels(const std::vector<double>& start);
  /// Shape of the solution in natural order.
  std::vector<std::size_t> solution_shape() const;
  /// Shape of the written image; for polar voxels that of a Cartesian volume.
  std::vector<std::size_t> image_shape() const;
  /// Writes an image or a solution, which differ for polar voxels.
  void write_solution(const std::string& name, const std::vector<Scalar>& solution,
                      const std::vector<std::size_t>& shape);
  std::vector<std::size_t> sinogram_shape() const;

  Run<ExecutionSpace, Scalar> run_;
  // References to members of run_.
  RunConfig& config_;
  const ExecutionSpace& exec_;
  Progress& progress_;
  RunOutput& output_;
  PhaseClock& clock_;
  const RunRanks& ranks_;
  bool overwrites_;              // the checkpoint of another run
  const RunRecorder* recorder_;  // null: nothing is recorded
  std::shared_ptr<const Communicator<ExecutionSpace>> communicator_;  // null: one process
  RunCheckpoints<ExecutionSpace, Scalar>& checkpoints_;
  std::optional<SlabPlan> slabs_;     // empty: all slices are solved as one stack
  VolumeProgress volume_;             // finished slabs
  RunInput input_;                    // with slabs, the data of the current one
  std::vector<std::string> unusual_;  // warnings about the input
  UnexplainedData unexplained_;
  std::vector<Scalar> sinogram_;      // the data in the run's precision
  std::vector<Scalar> slab_columns_;  // those of a slab, side by side
  SystemTask task_;                   // the matrix, from `prepare_matrix` on
  std::optional<PlannedWay> way_;     // to the matrix; empty: several ranks
  MatrixOrder<memory_space> order_;
  std::optional<RowSubsets> all_subsets_;  // see `BuiltSystem::subsets`
  std::vector<Ordinal> subset_begins_;     // of these subsets
  bool image_is_split_ = false;
  SweepOrder sweep_;  // only for solvers that sweep
  VectorType b_, x_, phantom_;
  std::string printed_filled_;        // see print_filled
  std::vector<Scalar> masked_start_;  // start values of all pixels and slices; empty: no mask
  VectorType weights_;  // weights of in-sector voxels in the rmse; empty: equal weights
  SolverContext context_;
  VectorType multiplicative_, additive_;                  // terms of MLEM
  Kokkos::View<const Ordinal*, memory_space> row_order_;  // order in which ART visits the rows
  std::vector<Ordinal> subset_order_;                     // order in which SART visits the subsets
  ReductionWorkspace<memory_space> reduction_;
  Vector<double, memory_space> sums_;
  // Totals over all ranks, set when the results are written.
  TrafficBytes traffic_;
  MemoryPeaks peaks_;
  std::vector<std::map<int, double>>
      rmse_;  // error against the phantom, for each slice by iteration
};

}  // namespace Tomokkos
