// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AxisOrder.hpp>
#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_EllipsoidPhantom.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_GeometryConfig.hpp>
#include <Tomokkos_Hdf5Listing.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_MeshConfig.hpp>
#include <Tomokkos_Noise.hpp>
#include <Tomokkos_OperatorWish.hpp>
#include <Tomokkos_PcgOptions.hpp>
#include <Tomokkos_Phantoms.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_RanksWish.hpp>
#include <Tomokkos_RayTiles.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <Tomokkos_SolverList.hpp>
#include <Tomokkos_SolverNeeds.hpp>
#include <Tomokkos_SplitPlan.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <Tomokkos_StopRules.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <Tomokkos_SweepConfig.hpp>
#include <Tomokkos_TransposeOptions.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

class Keys;

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
  static constexpr std::array<std::pair<OnSuspicion, std::string_view>, 2> names{
      {{OnSuspicion::error, "error"}, {OnSuspicion::warn, "warn"}}};
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

/// \brief Contents of `problem.phantom`.
struct PhantomConfig {
  std::filesystem::path
      file;  ///< `.npy` file of an image or a stack of images; empty: a named phantom
  PhantomKind kind = PhantomKind::shepp_logan;
  std::optional<SolidPhantomKind> solid;  ///< three-dimensional phantom of a cone beam, instead of
                                          ///< `kind` repeated in all slices
  PhantomSampling sampling;

  PhantomSampling sampling_in(const VolumeGeometry& volume) const {
    PhantomSampling result = sampling;
    result.aspect = volume.pixel_height() / volume.pixel;
    return result;
  }
};

/// \brief Treatment of negative data, which maximum likelihood cannot use.
enum class NegativeData { error, clamp };

template <>
struct EnumNames<NegativeData> {
  static constexpr std::array<std::pair<NegativeData, std::string_view>, 2> names{
      {{NegativeData::error, "error"}, {NegativeData::clamp, "clamp"}}};
};

/// \brief Contents of `problem.sinogram`: measured data.
struct SinogramConfig {
  std::filesystem::path file;
  Hdf5Layout hdf5;
  std::string array;  ///< array in an archive; empty: the only array
  AxisOrder order;    ///< axes of the array; empty: views, (rows,) detectors
  Ordinal slice = 0;
  // Intensities with an open beam (flat) and without a beam (dark), each in a file of any format of
  // the data. Empty: the fields of the HDF5 file; without such fields the data are line integrals
  // already.
  std::filesystem::path flat;
  std::filesystem::path dark;
  // Dataset of a field in an HDF5 file, or its array in an archive. `auto`: the only one, or the
  // one of a usual name.
  std::string flat_dataset = "auto";
  std::string dark_dataset = "auto";
  FieldAverage fields = FieldAverage::mean;
  bool is_line_integrals = false;  ///< `flat: none`; fields in the file are ignored
  NegativeData negative = NegativeData::error;
  std::optional<double> largest;  ///< larger line integrals are missing; empty: none

  bool is_hdf5() const { return is_hdf5_file(file); }
  bool is_archive() const { return !is_hdf5() && holds_names(file); }
};

/// \brief Contents of `problem.slices`: a stack of slices. Selects slices of measured data, or
/// gives the number of copies of a phantom, each with its own noise.
struct SlicesConfig {
  bool all = false;
  Ordinal first = 0;
  Ordinal count = 1;
  ConfigPosition position;  ///< for errors found only when the data are known
};

/// \brief Source of the data of a phantom.
enum class DataSource {
  matrix,   ///< the system matrix times the phantom
  analytic  ///< exact projections of its ellipses
};

template <>
struct EnumNames<DataSource> {
  static constexpr std::array<std::pair<DataSource, std::string_view>, 2> names{
      {{DataSource::matrix, "matrix"}, {DataSource::analytic, "analytic"}}};
};

enum class NoiseKind { none, poisson, gaussian };

template <>
struct EnumNames<NoiseKind> {
  static constexpr std::array<std::pair<NoiseKind, std::string_view>, 3> names{
      {{NoiseKind::none, "none"},
       {NoiseKind::poisson, "poisson"},
       {NoiseKind::gaussian, "gaussian"}}};
};

/// \brief Contents of `problem.noise`.
struct NoiseConfig {
  NoiseKind kind = NoiseKind::none;
  double counts = 0.0;  ///< for poisson: events or photons
  PoissonModel model = PoissonModel::emission;
  double sigma = 0.0;  ///< for gaussian: standard deviation
  GaussianScale scale = GaussianScale::absolute;
};

void describe(Keys& key, NoiseConfig& noise);

/// \brief Type of the numbers in a raw file of measurements.
enum class RawType { int32, float32 };

template <>
struct EnumNames<RawType> {
  static constexpr std::array<std::pair<RawType, std::string_view>, 2> names{
      {{RawType::int32, "int32"}, {RawType::float32, "float32"}}};
};

/// \brief Values of `problem.type`.
enum class ProblemKind { tomography, linear_system, parameterization, smoothing };

template <>
struct EnumNames<ProblemKind> {
  static constexpr std::array<std::pair<ProblemKind, std::string_view>, 4> names{
      {{ProblemKind::tomography, "tomography"},
       {ProblemKind::linear_system, "linear_system"},
       {ProblemKind::parameterization, "parameterization"},
       {ProblemKind::smoothing, "smoothing"}}};
};

/// \brief Source of the right-hand side of a linear system.
enum class LinearRhs {
  file,
  ones,   ///< every entry 1
  random  ///< uniform between -1 and 1, from `run.seed`
};

template <>
struct EnumNames<LinearRhs> {
  static constexpr std::array<std::pair<LinearRhs, std::string_view>, 3> names{
      {{LinearRhs::file, "file"}, {LinearRhs::ones, "ones"}, {LinearRhs::random, "random"}}};
};

/// \brief Contents of `problem`: the system matrix and the data.
struct ProblemSection {
  ProblemKind kind = ProblemKind::tomography;
  GeometryConfig geometry;
  VolumeConfig volume;  ///< for a cone beam the volume of the pictures
  // Sources of the data; at most one of `phantom`, `sinogram` and `rhs` is given.
  std::optional<PhantomConfig> phantom;
  std::optional<SinogramConfig> sinogram;
  std::optional<SlicesConfig> slices;  ///< empty: one slice
  Ordinal slab = 0;                    ///< slices solved together; 0: chosen by the memory
  /// `.npy` files with the shapes of image and sinogram. Nonzero entries are kept; empty: all are.
  std::filesystem::path mask, ray_mask;
  ConfigPosition mask_position;  ///< for errors found only when the mask is known
  std::filesystem::path rhs;     ///< `.npy`, `.mtx`, `.mtx.gz`, otherwise raw numbers
  RawType rhs_type = RawType::int32;
  NegativeData negative = NegativeData::error;  ///< of data other than a sinogram
  LinearRhs linear_rhs = LinearRhs::file;       ///< linear systems only
  std::optional<StencilRows> stencil;           ///< linear systems only, instead of `matrix`
  /// File of the matrix or of its first block row. Empty: the matrix is computed.
  std::filesystem::path matrix;
  DataSource data = DataSource::matrix;
  NoiseConfig noise;
  std::optional<MeshConfig> mesh;  ///< parameterization and smoothing only
  ChartForm form = ChartForm::shared;
  std::optional<PinsConfig> pins;  ///< parameterization only; empty: chosen on the longest border
  LocksConfig locked;              ///< smoothing only

  /// \brief Geometry if it has the type \p Kind, otherwise nullptr.
  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&geometry);
  }
  /// \brief Properties of the source of the rows.
  RowTraits traits() const {
    return std::visit([](const auto& kind) { return kind.traits; }, geometry);
  }

  /// \brief True for a geometry whose rows are rays.
  bool is_traced() const { return as<ScanConfig>() || as<ScannerConfig>() || as<ConeBeamRows>(); }

  /// \brief Number of views given in the configuration, for a scan or a matrix from a file. Empty:
  /// not given.
  std::optional<Ordinal> views() const;

  /// \brief True for a matrix from a file whose views and detectors are not given.
  bool has_unknown_rows() const { return traits().is_read && !views(); }

  /// \brief True when masks exclude pixels or rays.
  bool is_masked() const { return !mask.empty() || !ray_mask.empty(); }

  /// \brief Volume of a scanner, or of the pictures of a cone beam.
  VolumeGeometry3D scanner_volume() const {
    return {*volume.slices, (*volume.size)[0], (*volume.size)[1], volume.pixel, volume.thickness};
  }

  /// \brief Key that says what to do with negative data, and its value.
  const char* negative_key() const {
    return sinogram ? "problem.sinogram.negative" : "problem.negative";
  }
  NegativeData negative_data() const { return sinogram ? sinogram->negative : negative; }

  /// \brief True when `rhs` is a raw file without a header.
  bool rhs_is_raw() const { return !rhs.empty() && !is_vector_file(rhs); }
};

/// \brief True for solvers whose iterations are sweeps over the rows or views.
constexpr bool counts_sweeps(SolverKind kind) { return has_sweeps(kind) || is_sart(kind); }

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
  static constexpr std::array<std::pair<StartKind, std::string_view>, 3> names{{
      {StartKind::given, "given"},
      {StartKind::uniform, "uniform"},
      {StartKind::fbp, "fbp"},
  }};
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
  static constexpr std::array<std::pair<SolutionFile, std::string_view>, 2> names{
      {{SolutionFile::npy, "npy"}, {SolutionFile::mtx, "mtx"}}};
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
