// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BenchConfig.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos::Bench {

/// \brief The items of the list \p key; nullptr when it is absent. Throws `ConfigError` for
/// anything else, or an empty list.
const std::vector<ConfigNode>* items_of(const ConfigReader& reader, std::string_view key);

/// \brief A list of names out of \p allowed, each once; \p fallback when it is absent.
std::vector<std::string> names(const ConfigReader& reader, std::string_view key,
                               const std::vector<std::string_view>& allowed,
                               std::vector<std::string> fallback);

/// \brief The order stands behind the name, so that one matrix may stand in a table in several.
std::string name_in_order(const std::string& name, const OrderingOptions& ordering);

/// \brief `bench.matrices`. \p run is the section of that name, which system matrices are read
/// with.
std::vector<MatrixSource> read_matrices(const ConfigReader& reader, const ConfigNode& run);

/// \brief The source `profile` of an entry, whose row lengths are not checked yet.
Profile read_profile(const ConfigReader& entry);

/// \brief The source `tomography` of an entry: a scan, a scanner or a cone beam, read as the
/// problem of an ordinary configuration.
TomographySource read_tomography(const ConfigReader& entry, const ConfigNode& run);

/// \brief The source `circulant`: a first row of blocks from a file, read likewise, or a generated
/// one.
void read_circulant(const ConfigReader& entry, const ConfigNode& run, MatrixSource& result);

}  // namespace Tomokkos::Bench
