// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_DistributedOperator.hpp>
#include <Tomokkos_EllipsoidPhantom.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_GeometryConfig.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_MeshConfig.hpp>
#include <Tomokkos_Noise.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <Tomokkos_PcgOptions.hpp>
#include <Tomokkos_Phantoms.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_RayTiles.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <Tomokkos_SolverList.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <Tomokkos_SweepConfig.hpp>
#include <Tomokkos_Tiff.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

class Keys;

// A configuration as plain data: what to do, with every default filled in.
// docs/reference/configuration.md describes the keys. An empty optional stands for `auto` or for
// "not wanted", as each member says.

/// \brief `run.ranks`: what is said of processes that share the run; with one nothing of it
/// matters.
struct RanksSection {
  std::vector<double> weights;             ///< shares of the rows; empty: equal ones
  bool measured = false;                   ///< shares by the speed of the ranks' first products
  std::optional<ImageDistribution> image;  ///< nothing: replicated, unless memory is short
  int slabs = 0;                           ///< 0: by the size of the image
  bool measure_sums = false;               ///< times of products and sums for the report
};

/// \brief `run.memory_limit`: bytes that a run may take, together on all ranks of a host; empty:
/// what there is.
struct MemoryLimit {
  std::optional<std::uint64_t> host, device;
};

/// \brief What a run does with a suspicion that is not allowed.
enum class OnSuspicion { error, warn };

template <>
struct EnumNames<OnSuspicion> {
  static constexpr std::array<std::pair<OnSuspicion, std::string_view>, 2> names{
      {{OnSuspicion::error, "error"}, {OnSuspicion::warn, "warn"}}};
};

/// \brief `run`: where and how it is computed.
struct RunSection {
  std::string backend;  ///< one of those compiled in, the host by default
  std::string scalar = "float";
  int threads = 0;  ///< 0: what the environment (OMP_NUM_THREADS) or the machine says
  std::uint64_t seed = 1;
  bool deterministic = false;
  std::vector<SuspicionKind> allow;  ///< suspicions that are known to be wrong
  OnSuspicion on_suspicion = OnSuspicion::error;
  RanksSection ranks;
  MemoryLimit memory_limit;
  int num_ranks = 1;      ///< no key: how many the launcher has started
  double rank_share = 1;  ///< no key: of all rows those of this rank
};

void describe(Keys& key, RanksSection& ranks);
void describe(Keys& key, RunSection& run);

/// \brief `problem.phantom`
struct PhantomConfig {
  std::filesystem::path file;  ///< `.npy` file of an image or a stack of them; empty: a named one
  PhantomKind kind = PhantomKind::shepp_logan;
  std::optional<SolidPhantomKind> solid;  ///< of a cone beam, instead of one through all slices
  PhantomSampling sampling;
};

/// \brief What to do with negative line integrals, which maximum likelihood cannot use.
enum class NegativeData { error, clamp };

template <>
struct EnumNames<NegativeData> {
  static constexpr std::array<std::pair<NegativeData, std::string_view>, 2> names{
      {{NegativeData::error, "error"}, {NegativeData::clamp, "clamp"}}};
};

/// \brief True for the endings of HDF5 files: .h5, .hdf5, .hdf, .nxs.
bool is_hdf5_file(const std::filesystem::path& file);

/// \brief `problem.sinogram`: measured data.
struct SinogramConfig {
  std::filesystem::path file;
  Hdf5Layout hdf5;
  std::string array;  ///< of an archive; empty: the only one
  Ordinal slice = 0;
  // Transmission with an open beam and without any: `.npy` files of one value per detector, or
  // frames x detectors. Empty: the fields of an HDF5 file where it has them, otherwise none, and
  // then the data are line integrals already.
  std::filesystem::path flat;
  std::filesystem::path dark;
  bool is_line_integrals = false;  ///< `flat: none`: fields that the file holds are ignored
  NegativeData negative = NegativeData::error;

  bool is_hdf5() const { return is_hdf5_file(file); }
  bool is_archive() const { return file.extension() == ".npz"; }
  bool is_tiff() const { return is_tiff_file(file); }
};

/// \brief `problem.slices`: a stack of slices instead of one. Of measured data: which; of a
/// phantom: how many copies, each with noise of its own.
struct SlicesConfig {
  bool all = false;
  Ordinal first = 0;
  Ordinal count = 1;
  ConfigPosition position;  ///< for what only the data can tell
};

/// \brief Where the data of a phantom come from.
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

/// \brief `problem.noise`
struct NoiseConfig {
  NoiseKind kind = NoiseKind::none;
  double counts = 0.0;  ///< poisson
  PoissonModel model = PoissonModel::emission;
  double sigma = 0.0;  ///< gaussian
  GaussianScale scale = GaussianScale::absolute;
};

void describe(Keys& key, NoiseConfig& noise);

/// \brief What a raw file of measurements holds.
enum class RawType { int32, float32 };

template <>
struct EnumNames<RawType> {
  static constexpr std::array<std::pair<RawType, std::string_view>, 2> names{
      {{RawType::int32, "int32"}, {RawType::float32, "float32"}}};
};

/// \brief `problem.type`
enum class ProblemKind { tomography, linear_system, parameterization, smoothing };

template <>
struct EnumNames<ProblemKind> {
  static constexpr std::array<std::pair<ProblemKind, std::string_view>, 4> names{
      {{ProblemKind::tomography, "tomography"},
       {ProblemKind::linear_system, "linear_system"},
       {ProblemKind::parameterization, "parameterization"},
       {ProblemKind::smoothing, "smoothing"}}};
};

/// \brief The right-hand side of a linear system.
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

/// \brief `problem`: the system matrix and the data.
struct ProblemSection {
  ProblemKind kind = ProblemKind::tomography;
  GeometryConfig geometry;
  VolumeConfig volume;  ///< of a cone beam that of pictures
  // Where the data come from: at most one of these three.
  std::optional<PhantomConfig> phantom;
  std::optional<SinogramConfig> sinogram;
  std::optional<SlicesConfig> slices;  ///< empty: one slice
  /// `.npy` files of the shapes of image and sinogram, not 0 is kept; empty: everything is.
  std::filesystem::path mask, ray_mask;
  ConfigPosition mask_position;  ///< for what only the mask can tell
  std::filesystem::path rhs;     ///< `.npy`, `.mtx`, `.mtx.gz`, otherwise raw numbers
  RawType rhs_type = RawType::int32;
  LinearRhs linear_rhs = LinearRhs::file;  ///< of a linear system
  std::optional<StencilRows> stencil;      ///< of a linear system, instead of `matrix`
  /// The file of the matrix, or of its first row of blocks; empty: it is built.
  std::filesystem::path matrix;
  DataSource data = DataSource::matrix;
  NoiseConfig noise;
  std::optional<MeshConfig> mesh;  ///< of a parameterization or a smoothing
  ChartForm form = ChartForm::shared;
  std::optional<PinsConfig> pins;  ///< of a parameterization; empty: on its longest border
  LocksConfig locked;              ///< of a smoothing

  /// \brief The geometry, where it is of that kind; otherwise nullptr.
  template <class Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&geometry);
  }
  /// \brief The abilities of the source of the rows.
  RowTraits traits() const {
    return std::visit([](const auto& kind) { return kind.traits; }, geometry);
  }

  /// \brief Views that the configuration counts, of a scan or of a matrix from a file.
  std::optional<Ordinal> views() const;

  /// \brief True for a matrix from a file of which it is not said how the rows lie.
  bool has_unknown_rows() const { return traits().is_read && !views(); }

  /// \brief True when pixels or rays are left out.
  bool is_masked() const { return !mask.empty() || !ray_mask.empty(); }

  /// \brief The volume of a scanner, or that of the pictures of a cone beam.
  VolumeGeometry3D scanner_volume() const {
    return {*volume.slices, (*volume.size)[0], (*volume.size)[1], volume.pixel, volume.thickness};
  }

  /// \brief True when `rhs` is a file of nothing but numbers.
  bool rhs_is_raw() const { return !rhs.empty() && !is_vector_file(rhs); }
};

/// \brief `operator` of block-circulant matrices.
struct CirculantSection {
  Ordinal blocks = 0;                             ///< of `problem.matrix`; 0: the problem tells
  CirculantOrder order = CirculantOrder::blocks;  ///< of `problem.matrix`
  CirculantVariant variant = CirculantVariant::automatic;
  CirculantVariant transpose_variant = CirculantVariant::automatic;
  ConfigPosition format_position;  ///< for what only the matrix can tell
};

/// \brief `operator`
struct OperatorSection {
  /// How the matrix is stored; nothing: as suits it and the backend (`automatic`).
  std::optional<FormatOptions> stored = CsrOptions{};
  /// Only one ray of each orbit under the symmetries of the square is stored.
  bool symmetric = false;
  /// The first row of blocks of a block-circulant matrix is stored.
  bool block_circulant = false;
  /// `csr` or `sell`, in which the stored transpose of symmetric rays in CSR is kept; nothing: as
  /// the backend likes.
  std::optional<MatrixFormat> transpose_format;
  // CSR
  SpmvVariant variant = SpmvVariant::automatic;
  TransposeMethod transpose = TransposeMethod::stored;
  SpmvVariant transpose_variant = SpmvVariant::automatic;
  std::optional<double> largest_fill;
  CirculantSection circulant;
  OrderingOptions ordering;
  // For what only the matrix can tell.
  ConfigPosition format_position, transpose_position, ordering_position;

  bool is_automatic() const { return !stored; }
  bool is(MatrixFormat format) const { return stored && format_of(*stored) == format; }
  /// \brief True where one copy of the matrix serves both products.
  bool has_one_copy() const { return stored && transpose_methods(format_of(*stored)).empty(); }
  /// \brief The name of the format: `automatic` where it is to be chosen.
  std::string format_name() const {
    return stored ? std::string(to_string(format_of(*stored))) : "automatic";
  }
  /// \brief Precision of the stored values.
  StoredPrecision values() const;
  void set_values(StoredPrecision values);
  /// \brief True where the values are stored as they are, and could take 16 bits.
  bool may_use_halves() const;
};

/// \brief True for solvers of square systems, which are no reconstructions.
inline bool solves_square_systems(SolverKind kind) {
  return task_of(kind) == SolverTask::square_systems;
}

/// \brief True for solvers that sweep over rows, in an order of their own.
constexpr bool has_sweeps(SolverKind kind) {
  return kind == SolverKind::art || kind == SolverKind::block_art;
}

/// \brief True for SART over single views or subsets of them.
constexpr bool is_sart(SolverKind kind) {
  return kind == SolverKind::sart || kind == SolverKind::os_sart;
}

/// \brief True for solvers whose iterations are sweeps over the rows or views.
constexpr bool counts_sweeps(SolverKind kind) { return has_sweeps(kind) || is_sart(kind); }

/// \brief False for solvers that never form `A^T x`: ART reads the rows of the matrix, PCG knows it
/// to be symmetric, BiCGSTAB and GMRES need none.
inline bool uses_transpose(SolverKind kind) {
  return kind != SolverKind::art && !solves_square_systems(kind);
}

/// \brief A vector that is one number everywhere, or a file.
struct ConstantOrFile {
  double value = 0.0;
  std::filesystem::path file;  ///< wins when it is named
};

/// \brief `solver.start`
struct StartConfig {
  bool uniform = false;  ///< the constant image with the counts of the data (MLEM)
  ConstantOrFile image;
};

/// \brief Of what the periodogram of the residual is formed.
enum class NcpSignals {
  views,  ///< of each view, along its detector, and added up
  whole   ///< of all rays as one signal
};

template <>
struct EnumNames<NcpSignals> {
  static constexpr std::array<std::pair<NcpSignals, std::string_view>, 2> names{
      {{NcpSignals::views, "views"}, {NcpSignals::whole, "whole"}}};
};

/// \brief A rule that knows the norm of the noise.
struct NoiseRule {
  std::optional<double> level;  ///< nothing: that of the noise that was added (`auto`)
  /// Standard deviation of each ray, of all slices or one for each, instead of the norm.
  std::vector<double> sigma;
  double tau = 1.0;

  bool is_of_added_noise() const { return !level && sigma.empty(); }
};

void describe(Keys& key, NoiseRule& rule);

/// \brief `solver.stop`: no rule is active unless it is named.
struct StopConfig {
  std::optional<double> relative_change;
  std::optional<double> residual;
  std::optional<double> absolute_residual;
  std::optional<NoiseRule> discrepancy, monotone_error;
  std::optional<NcpSignals> ncp;
  int minimum_iterations = 0;
};

/// \brief `solver`: the parameters of one of the solvers, and what it takes beside them.
struct SolverSection {
  SolverParams params;
  SweepConfig sweep;  ///< of `art` and `block_art`, and the order of the views of `sart`, `os_sart`
  StartConfig start;
  std::optional<ConstantOrFile> background, multiplicative;  ///< mlem
  StopConfig stop;
  bool assume_symmetric = false;  ///< pcg: does not compare the matrix with its transpose
  int views = 1;                  ///< no key: those that `sart` takes one by one, once known

  SolverKind kind() const { return kind_of(params); }
  /// \brief Iterations, or sweeps.
  int iterations() const;
  void set_iterations(int count);
  int check_every() const;
  /// \brief Ordered subsets; of `sart` the views.
  int subsets() const;
  /// \brief The preconditioner of solvers that take one.
  PreconditionerOptions preconditioner() const;

  /// \brief True when its products are with ranges of rows. (How many views `sart` has may only be
  /// known with the data.)
  bool uses_row_ranges() const { return subsets() > 1 || kind() == SolverKind::sart; }
};

/// \brief The files that an image is written to, and those of the solution of a linear system.
enum class ImageFile {
  png,
  npy,
  tiff,   ///< numbers in float
  tiff16  ///< whole numbers of 16 bits, with their scale in the report
};
enum class SolutionFile { npy, mtx };

template <>
struct EnumNames<ImageFile> {
  static constexpr std::array<std::pair<ImageFile, std::string_view>, 4> names{
      {{ImageFile::png, "png"},
       {ImageFile::npy, "npy"},
       {ImageFile::tiff, "tiff"},
       {ImageFile::tiff16, "tiff16"}}};
};

template <>
struct EnumNames<SolutionFile> {
  static constexpr std::array<std::pair<SolutionFile, std::string_view>, 2> names{
      {{SolutionFile::npy, "npy"}, {SolutionFile::mtx, "mtx"}}};
};

/// \brief `output`
struct OutputSection {
  // Of a problem on a mesh.
  MeshFileKind mesh = MeshFileKind::obj;
  int picture_size = 1000;  ///< pixels of the longer side; 0: no pictures
  std::filesystem::path directory;
  std::vector<ImageFile> image{ImageFile::png, ImageFile::npy};
  std::vector<SolutionFile> solution{SolutionFile::npy};
  std::string report = "report.yaml";
  int every = 0;       ///< images of every n-th iteration; 0: none
  int checkpoint = 0;  ///< what a run can be resumed from, every n-th iteration; 0: none
  std::optional<std::array<double, 2>>
      window;  ///< grey levels; empty: from the phantom or the image

  bool writes(ImageFile file) const {
    return std::find(image.begin(), image.end(), file) != image.end();
  }
  bool writes(SolutionFile file) const {
    return std::find(solution.begin(), solution.end(), file) != solution.end();
  }
};

/// \brief The keys of `output` that problems of \p kind have.
void describe(Keys& key, OutputSection& output, ProblemKind kind);

struct RunConfig {
  std::filesystem::path file;  ///< no key: where it was read
  RunSection run;
  ProblemSection problem;
  OperatorSection matrix_operator;
  SolverSection solver;
  OutputSection output;
};

/// \brief What a configuration is read for.
enum class ConfigUse {
  run,    ///< everything must be there
  matrix  ///< the system matrix alone: data, solver and output may be missing
};

/// \brief Reads and checks everything that can be checked without opening another file.
///
/// \param name stem of the configuration file: the default output directory is `out/<name>` in the
/// working directory.
/// \throw ConfigError with the position.
RunConfig read_run_config(const ConfigNode& root, ConfigUse use, const std::string& name);

/// \brief The configuration with every default, such that reading it again gives the same.
ConfigNode to_node(const RunConfig& config);

}  // namespace Tomokkos
