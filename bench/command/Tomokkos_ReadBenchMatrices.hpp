// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BenchConfig.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos::Bench {

/// \brief Returns the items of the list \p key; nullptr if it is absent.
///
/// \throws ConfigError when the value is not a list or is empty
const std::vector<ConfigNode>* items_of(const ConfigReader& reader, std::string_view key);

/// \brief Reads a list of different names from \p allowed. Returns \p fallback if it is absent.
std::vector<std::string> names(const ConfigReader& reader, std::string_view key,
                               const std::vector<std::string_view>& allowed,
                               std::vector<std::string> fallback);

/// \brief Appends the order to the name, so that one matrix may appear in a table in several
/// orders.
std::string name_in_order(const std::string& name, const OrderingOptions& ordering);

/// \brief Reads `bench.matrices`. System matrices are read with \p run, the section of that name.
std::vector<MatrixSource> read_matrices(const ConfigReader& reader, const ConfigNode& run);

/// \brief Reads the source `profile` of an entry, without a check of the row lengths.
Profile read_profile(const ConfigReader& entry);

/// \brief Reads the source `tomography` of an entry: a scan, a scanner or a cone beam, as in the
/// problem of an ordinary configuration.
ProblemSource read_tomography(const ConfigReader& entry, const ConfigNode& run);

/// \brief Reads the source \p key of an entry, `lscm` or `smoothing`, if its `mesh` is a file or a
/// section, as in the problem of an ordinary configuration. Empty if it names a shape.
///
/// \throws ConfigError also for a file that does not exist
std::optional<ProblemSource> read_mesh_problem(const ConfigReader& entry, std::string_view key,
                                               ProblemKind kind, const ConfigNode& run);

/// \brief Reads the source `circulant` of an entry: a first block row from a file, as in the
/// problem of an ordinary configuration, or a generated one.
void read_circulant(const ConfigReader& entry, const ConfigNode& run, MatrixSource& result);

}  // namespace Tomokkos::Bench
