// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section `problem` of a configuration as plain data.
#pragma once

#include <Tomokkos_AngleDirection.hpp>
#include <Tomokkos_AxisOrder.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_Hdf5Listing.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MeshShape.hpp>
#include <Tomokkos_Noise.hpp>
#include <Tomokkos_OperatorWish.hpp>
#include <Tomokkos_Phantoms.hpp>
#include <Tomokkos_RowSource.hpp>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace Tomokkos {

class Keys;

/// \brief Angle together with its text in the configuration.
struct ConfigAngle {
  std::string text = "0";
  Angle angle;
  bool has_unit = true;  ///< false for a plain number, which is in radians
};

/// \brief Contents of `problem.volume`.
struct VolumeConfig {
  /// Rows and columns; may be empty if the matrix is read from a file.
  std::optional<std::array<Ordinal, 2>> size;
  std::optional<Ordinal> slices;       ///< empty: a two-dimensional image
  double pixel = 1.0;                  ///< width of a pixel
  std::optional<double> pixel_height;  ///< empty: as its width
  std::array<double, 2> center{0, 0};  ///< x and y of the centre of the image
  double thickness = 1.0;              ///< thickness of a slice

  /// \brief Image, or slice of a volume. Its size must be given.
  VolumeGeometry slice() const {
    return {(*size)[0], (*size)[1], pixel, pixel_height.value_or(0), center[0], center[1]};
  }
};

/// \brief Contents of `problem.geometry` and `problem.projector` for a parallel or fan beam.
struct ScanConfig {
  static constexpr RowTraits traits = ScanRows::traits;

  Projector projector = Projector::linear;
  ScanGeometry numbers;              ///< all but views, detectors and vectors, which may be open
  std::optional<Ordinal> views;      ///< empty: number of views of the measured data (`auto`)
  std::optional<Ordinal> detectors;  ///< empty: number in the data, or enough to cover the image
  ConfigAngle start;
  ConfigAngle range;
  std::vector<ConfigAngle> angles;    ///< replace views, start and range
  std::filesystem::path angles_file;  ///< `.npy`, `.txt` or `.csv` file of the angles
  bool angles_from_data = false;      ///< angles are read from the HDF5 file of the data (`auto`)
  /// Unit of a file of angles. Empty: radians for a file of angles only; for an HDF5 file its own
  /// unit, or degrees if it has none.
  std::optional<AngleUnit> angles_unit;
  AngleDirection direction = AngleDirection::counterclockwise;  ///< in which all angles count
  bool find_rotation_center = false;                            ///< `rotation_center: auto`
  bool by_vectors = false;             ///< `type: vectors`; replaces views, angles and distances
  std::filesystem::path vectors_file;  ///< `.npy` file with six numbers for each view

  std::vector<std::filesystem::path> files() const { return {angles_file, vectors_file}; }
  /// \brief Number of views given by count or list; 0 if taken from the data.
  long long listed_views() const { return views ? *views : static_cast<long long>(angles.size()); }
  bool has_listed_angles() const {
    return !angles.empty() || !angles_file.empty() || angles_from_data;
  }
};

/// \brief Contents of `problem.geometry` for rays from a file.
struct RaysConfig {
  static constexpr RowTraits traits = RayRows::traits;

  std::filesystem::path file;  ///< `.npy` file with both ends of each ray
  Ordinal views = 1;           ///< number of equal parts of the rays

  std::vector<std::filesystem::path> files() const { return {file}; }
};

/// \brief Contents of `problem.scanner`.
struct ScannerConfig {
  static constexpr RowTraits traits = ScannerRows::traits;

  ScannerKind kind = ScannerKind::ring;
  RingScanner scanner;
  ConfigAngle first_module;  ///< angle of the scanner's first module, with its text
};

/// \brief Contents of `problem.geometry` for a matrix from a file: the arrangement of its rows.
/// Either both numbers are given or none.
struct MatrixFileConfig {
  static constexpr RowTraits traits = FileRows::traits;

  std::optional<Ordinal> views, detectors;
};

/// \brief Contents of `problem.geometry` and `problem.blocks` for a block row from a file.
struct BlockRowConfig : MatrixFileConfig {
  static constexpr RowTraits traits = CirculantFileRows::traits;

  Ordinal blocks = 0;  ///< 0: number stored in the file
};

/// \brief Source of the rows of the matrix. The first alternative also serves linear systems and
/// meshes.
using GeometryConfig = std::variant<MatrixFileConfig, ScanConfig, RaysConfig, ScannerConfig,
                                    ConeBeamRows, BlockRowConfig>;

/// \brief Contents of `problem.mesh`: a mesh from a file or a generated one. It is refined first,
/// then noise is added.
struct MeshConfig {
  std::filesystem::path file;  ///< takes precedence over the generated mesh
  MeshShape shape = MeshShape::hills;
  MeshSize size;
  std::uint64_t seed = 1;   ///< seed of the shape and of the noise
  int refine = 0;           ///< refinement levels; each cuts every triangle into four
  double noise = 0.0;       ///< standard deviation, in mean lengths of an edge
  bool weld = false;        ///< joins coinciding vertices of the file before any other step
  ConfigPosition position;  ///< for errors found only when the mesh is known
};

/// \brief Choice of the vertices that smoothing keeps fixed.
enum class LockRule {
  share,   ///< random share, drawn with `run.seed`
  border,  ///< vertices on borders
  file     ///< vertex numbers from a file
};

/// \brief Contents of `problem.locked`.
struct LocksConfig {
  LockRule rule = LockRule::share;
  double share = 0.1;
  std::string text = "1/10";  ///< the share as it was written
  std::filesystem::path file;
  ConfigPosition position;
};

/// \brief Contents of `problem.pins`: the two vertices of a chart that have a fixed position.
struct PinsConfig {
  std::array<Ordinal, 2> vertices;  ///< numbered from 0; in files from 1
  /// Positions (u, v). Empty: (0, 0) and (their distance, 0).
  std::optional<std::array<std::array<double, 2>, 2>> positions;
  ConfigPosition position;  ///< for errors found only when the mesh is known
};

/// \brief File format of a written mesh.
enum class MeshFileKind { obj, ply };

template <>
struct EnumNames<MeshFileKind> {
  static constexpr auto names = names_up_to<MeshFileKind::ply>("obj", "ply");
};

/// \brief True for the extensions of mesh files: .obj, .off, .ply.
inline bool is_mesh_file(const std::filesystem::path& file) {
  const std::string extension = lower_extension(file);
  return extension == ".obj" || extension == ".off" || extension == ".ply";
}

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
  static constexpr auto names = names_up_to<NegativeData::clamp>("error", "clamp");
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
  std::optional<double> largest;   ///< larger line integrals are missing; empty: none

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
  static constexpr auto names = names_up_to<DataSource::analytic>("matrix", "analytic");
};

enum class NoiseKind { none, poisson, gaussian };

template <>
struct EnumNames<NoiseKind> {
  static constexpr auto names = names_up_to<NoiseKind::gaussian>("none", "poisson", "gaussian");
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
  static constexpr auto names = names_up_to<RawType::float32>("int32", "float32");
};

/// \brief Values of `problem.type`.
enum class ProblemKind { tomography, linear_system, parameterization, smoothing };

template <>
struct EnumNames<ProblemKind> {
  static constexpr auto names = names_up_to<ProblemKind::smoothing>(
      "tomography", "linear_system", "parameterization", "smoothing");
};

/// \brief Source of the right-hand side of a linear system.
enum class LinearRhs {
  file,
  ones,   ///< every entry 1
  random  ///< uniform between -1 and 1, from `run.seed`
};

template <>
struct EnumNames<LinearRhs> {
  static constexpr auto names = names_up_to<LinearRhs::random>("file", "ones", "random");
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
  NegativeData negative = NegativeData::error;  ///< for a sinogram a key of its section
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

  /// \brief Number of views given in the configuration, for a scan or a matrix from a file. Empty:
  /// not given.
  std::optional<Ordinal> views() const;

  /// \brief True for a matrix from a file whose views and detectors are not given.
  bool has_unknown_rows() const { return traits().is_read && !views(); }

  /// \brief Volume of a scanner, or of the pictures of a cone beam.
  VolumeGeometry3D scanner_volume() const {
    return {*volume.slices, (*volume.size)[0], (*volume.size)[1], volume.pixel, volume.thickness};
  }

  /// \brief True when `rhs` is a raw file without a header.
  bool rhs_is_raw() const { return !rhs.empty() && !is_vector_file(rhs); }
};

}  // namespace Tomokkos
