// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

struct RunConfig;
class RunRanks;

/// \brief Input file of a run. Only its contents count.
struct RunInputFile {
  std::string name;  ///< file name without its folder, for messages
  std::uintmax_t bytes = 0;
  std::string hash;  ///< of the contents
};

/// \brief Configuration and input of a run, without what belongs to a machine. Equal on all ranks
/// of a run, and in a record and the run that is compared with it.
struct RunIdentity {
  /// Effective configuration without the backend, threads, the memory limit and the output. Paths
  /// of files are replaced by `(file)`.
  ConfigNode configuration;
  std::vector<RunInputFile> inputs;
};

/// \brief Returns the identity of a run. Reads all its input files.
///
/// \throws InputError if a file cannot be read
RunIdentity identity_of(const RunConfig& config);

/// \brief \p configuration as `RunIdentity` holds it.
ConfigNode portable_configuration(const ConfigNode& configuration);

/// \brief Converts to entries `configuration` and `inputs` of a document, and back.
void add_identity(const RunIdentity& identity, ConfigNode& document);
RunIdentity read_identity(const ConfigReader& document);

/// \brief Returns the first key or file that differs, with both values; empty if there is none.
///
/// \param ignored further keys that may differ
std::optional<ConfigDifference> first_difference(const RunIdentity& a, const RunIdentity& b,
                                                 const ConfigKeys& ignored = {});

/// \brief Checks that all ranks were given the same \p command, before ranks with different
/// commands wait for each other. Collective, and the first collective call of every command.
///
/// \throws ConfigError with the rank and both commands
void require_same_command(const std::string& command, const RunRanks& ranks);

/// \brief Checks that all ranks run the same. Collective.
///
/// \throws ConfigError with the rank, the key or file, and both values
void require_same_on_ranks(const RunConfig& config, const RunRanks& ranks);

}  // namespace Tomokkos
