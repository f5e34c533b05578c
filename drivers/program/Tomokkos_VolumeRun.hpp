// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A volume of many slices: the operator is prepared once, and slabs of slices are read, solved and
// written one after the other. The next slab is read and the previous one is written meanwhile.
#pragma once

#include <Tomokkos_ReconstructionRun.hpp>
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_VolumeFiles.hpp>
#include <array>
#include <future>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Reads, solves and writes the slabs of a volume, and keeps its progress in checkpoints.
template <class ExecutionSpace, class Scalar>
class VolumeRun final : public SlicesObserver<ExecutionSpace, Scalar> {
 public:
  using Base = SlicesObserver<ExecutionSpace, Scalar>;
  using memory_space = typename ExecutionSpace::memory_space;

  VolumeRun(ReconstructionRun<ExecutionSpace, Scalar>& parts, const SlabPlan& slabs);

  /// \brief Solves the slabs with the outcome of all as `Run::outcome`, and completes the notes for
  /// the report. Returns the exit status.
  ///
  /// \throws an error of a slab with a note about those that are complete; Interrupted before the
  /// first one is
  int solve(const SlicesSettings& settings);

  /// \brief Slices that correspond to the iterations of a slab, for the progress display.
  int position(int iteration) const;

  bool slices_end(const SolveOutcome& outcome, const typename Base::ConstColumns& x,
                  typename Base::Images& images) override;

 private:
  void resume();
  void check_data(std::optional<double> center) const;
  void warn_of_new_suspicions(RunInput& slab);
  void begin_reading(Ordinal begin);
  std::optional<SliceData<Scalar>> next_slab();
  void take(ReadSlab<Scalar>&& slab);
  void finish_writing();
  SolveProgress progress_of_results() const;
  void prepare_folder() const;
  void solve_all(const SlicesSettings& settings);
  int finish();
  void note_volume();

  ReconstructionRun<ExecutionSpace, Scalar>& parts_;
  SlabPlan slabs_;
  Ordinal size_ = 0;  // slices of a slab
  Ordinal read_ = 0;  // slices of the current slab that were read; the others repeat the last one
  std::optional<double> center_;  // rotation centre found in the middle slice
  VolumeProgress volume_;         // finished slabs
  SolveOutcome all_;              // of the finished slabs
  int on_disk_ = 0;               // slices that are on the disk
  std::array<std::size_t, 3> shape_{};
  Impl::VolumeFiles<Scalar> files_;
  std::vector<Scalar> columns_;          // the data of the current slab, side by side
  std::vector<double> counted_;          // its rays
  Vector<Scalar, memory_space> images_;  // those that are being written
  ExecutionSpace copies_;                // copies them beside the kernels
  // Joined by their destructors, before the files and the images.
  std::future<ReadSlab<Scalar>> next_;
  std::future<void> writing_;
};

}  // namespace Tomokkos
