// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_StencilRows.hpp>
#include <Tomokkos_Types.hpp>
#include <array>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <Tomokkos_BenchGenerators.hpp>
#include <Tomokkos_BenchOptions.hpp>
#include <Tomokkos_BenchSets.hpp>

namespace Tomokkos::Bench {

/// \brief `file`: a matrix in any of the formats that are read.
struct FileSource {
  std::filesystem::path path;
};

/// \brief `tomography`, `circulant` from a file, or the problem of an ordinary configuration.
struct TomographySource {
  RunConfig config;
};

/// \brief `table1`: a matrix of Table I, from its file where there is one, else generated.
struct Table1Source {
  const SetMatrix* matrix = nullptr;
  std::filesystem::path file;
};

/// \brief One matrix of `bench.matrices`.
struct MatrixSource {
  std::string name;
  std::variant<TomographySource, StencilRows, FileSource, PowerLaw, Uniform, Profile, Table1Source,
               ConformalMap, DenseRow, Lscm, Smoothing, Circulant>
      source;
  OrderingOptions ordering = {};
  RowRange rows = all_rows;  ///< of a scan: these alone
};

/// \brief True for a matrix that is measured as a block-circulant one, of which only the first row
/// of blocks is made.
bool is_circulant(const MatrixSource& source);

/// \brief What `tomokkos bench` does.
struct BenchConfig {
  RunSection run;
  std::vector<MatrixSource> matrices;
  std::vector<std::string> scalars;
  BenchOptions options;
  /// The configuration of a run, whose own iteration is timed, too.
  std::optional<RunConfig> configured_run;
};

/// \brief Lets the keys of `bench.full` replace those of `bench`: the whole study instead of one
/// that takes minutes.
///
/// \throw ConfigError where there is no such section
void take_full_study(ConfigNode& root);

/// \brief Reads a configuration for `bench`: its `bench` section if there is one, which wins over
/// the rest; otherwise the problem, with every product in every variant, an iteration of MLEM and
/// SIRT, and one of its own solver.
///
/// \param name of the configuration, and of the matrix of its problem
/// \throw ConfigError with the position
BenchConfig read_bench_config(const ConfigNode& root, const std::string& name);

}  // namespace Tomokkos::Bench
