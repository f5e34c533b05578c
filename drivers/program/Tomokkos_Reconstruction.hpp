// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ReconstructionRun.hpp>
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <Tomokkos_VolumeRun.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

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
class Reconstruction final : public SlicesObserver<ExecutionSpace, Scalar> {
 public:
  using Base = SlicesObserver<ExecutionSpace, Scalar>;

  /// \param config must outlive the run
  /// \param options with ranks
  Reconstruction(const RunConfig& config, const RunOptions& options);

  /// \brief Performs the run and returns the exit status.
  int run();

  void slices_begin(const SliceData<Scalar>& data, const typename Base::Images& images) override;
  MonitorAction sees(const ExecutionSpace& exec, const typename Base::State& state,
                     bool is_ended) override;
  bool slices_end(const SolveOutcome& outcome, const typename Base::ConstColumns& x,
                  typename Base::Images& images) override;

 private:
  using Results = std::vector<SolveResult>;

  void read_input();
  void build();
  BuildObserver build_observer();
  void require_parts(const SystemTask& task);
  BuiltSystem<ExecutionSpace, Scalar> build_whole_or_parts();
  BuiltSystem<ExecutionSpace, Scalar> build_on_ranks(
      std::shared_ptr<const Communicator<ExecutionSpace>> communicator);
  void print_matrix(const BuiltMatrix& matrix);
  void watch(const VolumeRun<ExecutionSpace, Scalar>* volume);
  int solve_stack(const SlicesSettings& settings);
  /// Shape of the solution in natural order.
  std::vector<std::size_t> solution_shape() const;
  /// Shape of the written image; for polar voxels that of a Cartesian volume.
  std::vector<std::size_t> image_shape() const;
  std::vector<std::size_t> sinogram_shape() const;
  /// Writes an image or a solution, which differ for polar voxels.
  void write_solution(const std::string& name, const std::vector<Scalar>& solution,
                      const std::vector<std::size_t>& shape);
  void write_results(const std::vector<Scalar>& image);
  void set_results(const std::vector<Scalar>& image, Description& result) const;
  Description report(const std::vector<Scalar>& image);
  void write_report(const std::vector<Scalar>& image);
  void print_end();

  Run<ExecutionSpace, Scalar> run_;
  const RunConfig& config_;
  const RunRanks& ranks_;
  bool overwrites_;  // the checkpoint of another run
  ReconstructionRun<ExecutionSpace, Scalar> parts_;
  std::optional<SlabPlan> slabs_;                  // empty: all slices are solved as one stack
  SweepOrder sweep_;                               // only for solvers that sweep
  std::vector<std::string> unusual_;               // warnings about the input
  const typename Base::Images* images_ = nullptr;  // of the slices that are being solved
  // Totals over all ranks, set when the results are written.
  TrafficBytes traffic_;
  MemoryPeaks peaks_;
};

}  // namespace Tomokkos
