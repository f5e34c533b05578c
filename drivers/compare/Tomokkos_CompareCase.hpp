// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of one configuration in several ways. Each run is a process of its own, because Kokkos can
// be initialised only once in a process, and because a run that crashes must not end the others.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_RunRecord.hpp>
#include <filesystem>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief Folder for temporary files that only this user can enter, removed at the end of the
/// scope.
class TemporaryFolder {
 public:
  /// \throws OutputError if it cannot be made
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// \brief Way to run a configuration.
struct CompareCase {
  std::string name;
  ConfigNode configuration;
};

/// \brief Sets `section.key` in \p root.
void set_in(ConfigNode& root, const std::string& section, const std::string& key,
            const ConfigNode& value);

/// \brief Way to run \p configuration in another format or with another product: its section
/// `operator` has \p format, and of its other keys only an ordering that \p format allows.
CompareCase case_with_operator(const std::string& name, const ConfigNode& configuration,
                               const std::string& format);

/// \brief Outcome of a process.
struct CaseOutcome {
  int status = 0;
  std::string message;  ///< last line that it printed to standard error
};

/// \brief Runs \p each in a process of its own and returns its record; empty, with the reason in \p
/// outcome, if it did not run. Leaves no files; the other process ends with this one.
///
/// \param measures_rounding repeats the run with rounded data, which the record of a reference
/// needs \throws Interrupted once a signal has been received; the other process has ended then
std::optional<RunRecord> run_case(const CompareCase& each, bool measures_rounding,
                                  CaseOutcome& outcome);

}  // namespace Tomokkos
