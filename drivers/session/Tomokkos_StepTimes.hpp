// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace Tomokkos {

/// \brief Measures the times of the steps of the iterations of solvers: products, exchanges between
/// ranks, each kernel of the solver, copies, and the host.
///
/// Solvers, operators and communicators mark their steps as regions of a profile (`StepRegions`).
/// This class receives them as a tool of Kokkos would, in place of a loaded tool. It waits for the
/// device at the begin and the end of every step, so that a run on a GPU takes longer than without
/// it. What other threads launch counts as part of the step of the measuring thread.
class StepTimes {
 public:
  /// \brief Measures in its scope, and adds to the times of earlier scopes. At most one scope may
  /// exist at a time.
  class Scope {
   public:
    explicit Scope(StepTimes& times);
    /// \brief Gives the callbacks back to a loaded tool.
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

  /// \brief Describes the steps that were measured, the longest first: `{step, calls, seconds,
  /// seconds_per_iteration, share}`. Times of nested steps count for the inner one only.
  ///
  /// \param iterations number of iterations that were measured
  Description description(int iterations) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Step {
    long long calls = 0;
    double seconds = 0;
  };
  using Steps = std::map<std::string, Step>;
  /// Region, kernel or copy that is running: the step to which its time belongs, and whether that
  /// step begins with it.
  struct Frame {
    Steps::value_type* step;
    bool is_begin;
  };
  enum class Kind { region, kernel, copy };

  void begin(const char* name, Kind kind);
  void end();
  void charge();
  Steps::value_type* step_of(const char* name, Kind kind);

  /// Times that this thread measures; null: it measures none.
  static StepTimes* measuring();
  static void begin_active(const char* name, Kind kind);
  static void end_active();

  Steps steps_;
  std::vector<Frame> frames_;
  Clock::time_point last_;
  std::thread::id thread_;
};

}  // namespace Tomokkos
