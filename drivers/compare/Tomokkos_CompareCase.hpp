// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of one configuration in several ways. Each run is a process of its own, because Kokkos can
// be initialised only once in a process, and because a run that crashes must not end the others.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_RunRecord.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief Folder for temporary files that only this user can enter, removed with its last owner.
using TemporaryFolder = std::shared_ptr<const std::filesystem::path>;

/// \throws OutputError if the folder cannot be made
TemporaryFolder make_temporary_folder();

/// \brief Outcome of a process.
struct CaseOutcome {
  int status = 0;
  std::string message;              ///< last line that it printed to standard error
  std::optional<RunRecord> record;  ///< empty: it did not run
};

/// \brief Runs \p configuration in a process of its own. Leaves no files; the other process ends
/// with this one.
///
/// \param measures_rounding repeats the run with rounded data, which the record of a reference
/// needs
/// \throws Interrupted once a signal has been received; the other process has ended then
CaseOutcome run_case(const ConfigNode& configuration, bool measures_rounding);

}  // namespace Tomokkos
