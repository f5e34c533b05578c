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

/// \brief Source `file`: a matrix in any of the supported file formats.
struct FileSource {
  std::filesystem::path path;
};

/// \brief Problem of an ordinary configuration: that of the file, or of the sources `tomography`,
/// `circulant` from a file, `lscm` and `smoothing` of a mesh.
struct ProblemSource {
  ProblemSection problem;
  RunSection run;
  OperatorWish wish;
  InputUse use;
};

/// \brief Solver of a configuration, and the operator that it multiplies with.
struct ConfiguredSolver {
  SolverParams params;
  SolverNeeds needs;
  OperatorWish wish;
  bool rows_are_rays = false;
};

/// \brief Source `table1`: a matrix of Table I, from its file if there is one, otherwise generated.
struct Table1Source {
  const SetMatrix* matrix = nullptr;
  std::filesystem::path file;
};

/// \brief Matrix of the list `bench.matrices`.
struct MatrixSource {
  std::string name;
  std::variant<ProblemSource, StencilRows, FileSource, PowerLaw, Uniform, Profile, Table1Source,
               ConformalMap, DenseRow, Lscm, Smoothing, Circulant>
      source;
  OrderingOptions ordering = {};
  RowRange rows = all_rows;  ///< rows of a scan that are measured
};

/// \brief Returns true if the matrix is measured as a block-circulant one. Only its first block row
/// is then made.
bool is_circulant(const MatrixSource& source);

/// \brief Settings of `tomokkos bench`.
struct BenchConfig {
  RunSection run;
  std::vector<MatrixSource> matrices;
  std::vector<std::string> scalars;
  BenchOptions options;
  std::optional<ConfiguredSolver> configured_run;  ///< its iteration is timed, too
};

/// \brief Replaces the keys of `bench` by those of `bench.full`, to measure the whole study instead
/// of one that takes minutes.
///
/// \throws ConfigError when there is no section `bench.full`
void apply_full_study(ConfigNode& root);

/// \brief Reads a configuration for `bench`.
///
/// A section `bench` overrides the rest. Without it the problem is measured: every product in every
/// variant, for a scan an iteration of MLEM and of SIRT, for a linear system or a mesh one of
/// conjugate gradients, and one of the configured solver.
///
/// \param root configuration
/// \param name name of the configuration, and of the matrix of its problem
/// \throws ConfigError with the position of the error
BenchConfig read_bench_config(const ConfigNode& root, const std::string& name);

}  // namespace Tomokkos::Bench
