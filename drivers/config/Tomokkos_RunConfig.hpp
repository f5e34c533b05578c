// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_OperatorWish.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_ProblemConfig.hpp>
#include <Tomokkos_RanksWish.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <Tomokkos_SolverList.hpp>
#include <Tomokkos_SolverNeeds.hpp>
#include <Tomokkos_SplitPlan.hpp>
#include <Tomokkos_StopRules.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

// A configuration as plain data, with every default filled in. docs/reference/configuration.md
// describes the keys. The comment of each optional member says what an empty value means.

/// \brief Contents of `run.memory_limit`: bytes that all ranks of a host may use together. Empty:
/// no limit.
struct MemoryLimit {
  std::optional<std::uint64_t> host, device;
};

/// \brief Reaction of a run to a suspicion that is not allowed.
enum class OnSuspicion { error, warn };

template <>
struct EnumNames<OnSuspicion> {
  static constexpr auto names = names_up_to<OnSuspicion::warn>("error", "warn");
};

/// \brief Contents of `run`: backend, precision, threads and processes.
struct RunSection {
  std::string backend;  ///< one of the compiled backends; by default the host
  /// Host backend whose cores multiply some of the rows beside `backend`; empty: none.
  std::string host_backend;
  std::vector<double> shares;  ///< shares of both backends; empty: measured
  bool measure_steps = false;  ///< measures the times of the steps of an iteration for the report
  Overflow overflow = Overflow::automatic;
  std::string scalar = "float";
  int threads = 0;  ///< 0: from OMP_NUM_THREADS, otherwise from the machine
  std::uint64_t seed = 1;
  bool deterministic = false;
  std::vector<SuspicionKind> allow;  ///< suspicions to ignore
  OnSuspicion on_suspicion = OnSuspicion::error;
  RanksWish ranks;
  MemoryLimit memory_limit;

  std::size_t scalar_bytes() const { return scalar == "double" ? sizeof(double) : sizeof(float); }
};

void describe(Keys& key, RanksWish& ranks);
void describe(Keys& key, RunSection& run);

/// \brief Order in which the sweeps of `art` and `block_art` visit the rows, from the section
/// `solver`.
struct SweepConfig {
  ViewOrder order = ViewOrder::sequential;
  WithinView within_view = WithinView::sequential;
  std::optional<Ordinal>
      stride;  ///< for `strided`: rays from one visit to the next; empty: from the geometry
  std::uint64_t seed = 1;  ///< for `random`
  std::optional<Ordinal>
      block_rows;  ///< for `block_art`: rows of a block; empty: the rows of a view

  /// \brief True when rows are visited in the order of the matrix.
  bool is_sequential() const {
    return order == ViewOrder::sequential && within_view == WithinView::sequential;
  }
};

/// \brief A constant vector, or a vector from a file.
struct ConstantOrFile {
  double value = 0.0;
  std::filesystem::path file;  ///< takes precedence over `value`; empty: none
};

/// \brief Start of an iteration.
enum class StartKind {
  given,    ///< a number or a file
  uniform,  ///< the constant image with the counts of the data (MLEM)
  fbp       ///< filtered back projection of the data
};

template <>
struct EnumNames<StartKind> {
  static constexpr auto names = names_up_to<StartKind::fbp>("given", "uniform", "fbp");
};

/// \brief Contents of `solver.start`.
struct StartConfig {
  StartKind kind = StartKind::given;
  ConstantOrFile image;  ///< if the kind is `given`
};

/// \brief Contents of `solver`: the parameters of one solver, and the settings that solvers share.
struct SolverSection {
  SolverParams params;
  SweepConfig
      sweep;  ///< for `art` and `block_art`; for `sart` and `os_sart` the order of the views
  StartConfig start;
  std::optional<ConstantOrFile> background, multiplicative;  ///< for mlem; empty: none
  StopRules stop;
  bool assume_symmetric = false;  ///< for pcg: skips the check that the matrix is symmetric

  SolverKind kind() const { return kind_of(params); }
  /// \brief Number of iterations or sweeps.
  int iterations() const;
  void set_iterations(int count);
  int check_every() const;
  /// \brief Number of ordered subsets; 1 for `sart`, whose views the input tells.
  int subsets() const;
  /// \brief Parameters of the solver with the stop rules, before what follows from the data.
  SolverParams solver_params() const;

  /// \brief True when the solver multiplies by ranges of rows. Holds for `sart` even before the
  /// number of views is known.
  bool uses_row_ranges() const { return subsets() > 1 || kind() == SolverKind::sart; }
};

/// \brief File formats of the solution of a linear system.
enum class SolutionFile { npy, mtx };

template <>
struct EnumNames<SolutionFile> {
  static constexpr auto names = names_up_to<SolutionFile::mtx>("npy", "mtx");
};

/// \brief Contents of `output`.
struct OutputSection {
  // For problems on meshes.
  MeshFileKind mesh = MeshFileKind::obj;
  int picture_size = 1000;  ///< pixels of the longer side; 0: no pictures
  std::filesystem::path directory;
  std::vector<std::string> image{"png", "npy"};  ///< names of `image_formats`
  std::vector<SolutionFile> solution{SolutionFile::npy};
  std::string report = "report.yaml";
  int every = 0;       ///< iterations between written images; 0: none
  int checkpoint = 0;  ///< iterations between checkpoints; 0: none
  std::optional<std::array<double, 2>>
      window;  ///< values shown as black and white; empty: from the phantom or the image

  bool writes(const ImageFormat& format) const {
    return std::find(image.begin(), image.end(), format.name) != image.end();
  }
  bool writes(SolutionFile file) const {
    return std::find(solution.begin(), solution.end(), file) != solution.end();
  }
};

/// \brief Describes the keys of `output` for problems of \p kind.
void describe(Keys& key, OutputSection& output, ProblemKind kind);

/// \brief Facts about solver and operator that decide how the input of a run is read.
struct InputUse {
  SolverNeeds needs;
  bool starts_filtered = false;  ///< the start is a filtered back projection
  bool reads_start = false;      ///< the start is made on the host
  std::optional<ConstantOrFile> background;
  bool is_symmetric = false;  ///< one ray of each orbit is stored; a mask of pixels must suit that
};

struct RunConfig {
  std::filesystem::path file;  ///< not a key: file that the configuration was read from
  RunSection run;
  ProblemSection problem;
  OperatorWish matrix_operator;
  SolverSection solver;
  OutputSection output;

  /// \brief Needs of the solver for \p vectors slices or right-hand sides.
  SolverNeeds needs(Ordinal vectors = 1) const;
  InputUse input_use() const;
};

/// \brief Purpose of reading a configuration.
enum class ConfigUse {
  run,    ///< all required keys must be present
  matrix  ///< only the system matrix is needed: data, solver and output may be missing
};

/// \brief Reads a configuration and checks everything that does not need another file.
///
/// \param name stem of the configuration file: the default output directory is `out/<name>` in the
/// working directory.
/// \throws ConfigError with the position in the file
RunConfig read_run_config(const ConfigNode& root, ConfigUse use, const std::string& name);

/// \brief All files named in \p config.
std::vector<std::filesystem::path> data_files(const RunConfig& config);

/// \brief All files named in \p config, and the configuration file itself.
std::vector<std::filesystem::path> input_files(const RunConfig& config);

/// \brief Writes the configuration with every default. Reading the result gives the same
/// configuration.
ConfigNode to_node(const RunConfig& config);

/// \brief Writes the keys that are required or differ from their default, and the output
/// directory. Reading the result gives the same configuration. Cost: reads the configuration once
/// for each key.
ConfigNode to_short_node(const RunConfig& config);

}  // namespace Tomokkos
