// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunConfig.hpp>

namespace Tomokkos {

class RunRanks;
class RunRecorder;

/// \brief Settings of a run that are not part of its configuration.
struct RunOptions {
  bool quiet = false;      ///< print only errors
  bool resume = false;     ///< continue from the checkpoint in the output directory
  bool overwrite = false;  ///< replace the checkpoint of another run
  /// Processes that share the run; must outlive it. Null: a single process, which mesh problems
  /// accept.
  const RunRanks* ranks = nullptr;
  RunRecorder* recorder = nullptr;  ///< records products and iterates; null: nothing is recorded
};

/// \brief Performs the run of \p config on its backend and in its precision.
///
/// \return exit status
/// \throws ConfigError, InputError, MemoryError if the run cannot start
int run_configuration(const RunConfig& config, const RunOptions& options);

}  // namespace Tomokkos
