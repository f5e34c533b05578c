// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of the sections `problem` and `solver`: of a tomography, of linear systems and of meshes.
#include <Tomokkos_SectionKeys.hpp>
#include <utility>

namespace Tomokkos {
namespace {

/// Says that \p count rows or columns, of \p parts, are too many.
std::string too_many(const std::string& parts, long long count, const char* what,
                     const char* memory) {
  return parts + std::to_string(count) + what +
         " of the system matrix, more than a 32-bit index can number (" +
         std::to_string(max_ordinal) + "); the " + memory + " alone would take " +
         describe_bytes(4ULL * static_cast<unsigned long long>(count)) + " in single precision";
}

// The data.

void check_sinogram(const ConfigReader& root, const ProblemSection& problem) {
  if (!problem.sinogram) return;
  const SinogramConfig& sinogram = *problem.sinogram;
  root.rule(sinogram.flat.empty() && !sinogram.is_hdf5() && !sinogram.dark.empty(),
            "problem.sinogram.dark", "has no effect without sinogram.flat");
  const auto name = [](const ImageFormat& format) {
    return format.reader.open != nullptr ? format.reader.name : "";
  };
  root.rule(
      image_format_of(sinogram.file) == nullptr, "problem.sinogram",
      sinogram.file.string() + ": expected a " + list_formats(" or ", name) +
          " file (views x detectors) or an HDF5 file, which begins with the signature of HDF5 or "
          "ends in .h5, .hdf5, .hdf, .nxs, .nx or .hspy");
  root.rule(problem.slices && root.given("problem.sinogram.slice"), "problem.sinogram.slice",
            "has no effect with problem.slices, which selects the slices");
}

void check_sources(const ConfigReader& root, const ProblemSection& problem, ConfigUse use) {
  const int sources =
      (problem.phantom ? 1 : 0) + (problem.sinogram ? 1 : 0) + (problem.rhs.empty() ? 0 : 1);
  root.rule(sources > 1, "problem",
            "phantom, sinogram and rhs are three sources of data; give one");
  root.rule(sources == 0 && use == ConfigUse::run, "problem",
            problem.as<ScanConfig>() ? "no data: give problem.phantom or problem.sinogram"
                                     : "no data: give problem.rhs (or problem.phantom)");
}

void check_data(const ConfigReader& root, const ProblemSection& problem) {
  const bool is_analytic = problem.data == DataSource::analytic;
  const bool has_image = problem.phantom && !problem.phantom->file.empty();
  root.rule(is_analytic && has_image, "problem.data",
            "analytic needs a phantom made of ellipses; for an image from a file use data: matrix");
  root.rule(is_analytic && !(problem.phantom && is_made_of_ellipses(problem.phantom->kind)),
            "problem.data", "analytic needs a phantom made of ellipses");
  root.rule(is_analytic && problem.traits().is_read, "problem.data",
            "analytic needs a geometry, not a matrix from a file");
  root.rule(is_analytic && !problem.as<ScanConfig>(), "problem.data",
            "analytic needs a geometry of views and detectors in a plane");
  if (!problem.slices) return;
  const SlicesConfig& slices = *problem.slices;
  const bool is_volume = problem.volume.slices.has_value();
  // The volumes of a cone beam form a stack, for example one for each moment or energy.
  root.rule(is_volume && !problem.traits().is_circulant, "problem.slices",
            "applies only to stacks of independent slices; a volume is solved as a whole");
  root.rule(!problem.rhs.empty() && slices.all, "problem.slices",
            "all needs problem.sinogram; for problem.rhs give the number of slices in the file, or "
            "[first, count]");
  root.rule(problem.phantom && (!has_image || is_volume) &&
                (slices.all || root.find_path("problem.slices")->is_list()),
            "problem.slices",
            std::string("a phantom has one ") + (is_volume ? "volume" : "slice") +
                "; give the number of copies, each with its own noise");
}

void check_masks(const ConfigReader& root, const ProblemSection& problem) {
  root.rule(
      !problem.mask.empty() && !problem.volume.size, "problem.mask",
      "needs the arrangement of the pixels; for a matrix from a file give problem.volume.size");
  root.rule(
      !problem.ray_mask.empty() && problem.has_unknown_rows(), "problem.ray_mask",
      "needs the arrangement of the rays; for a matrix from a file give problem.geometry.views "
      "and detectors");
}

// The volume and the geometry.

void check_size(const ConfigReader& root, const ProblemSection& problem) {
  const VolumeConfig& volume = problem.volume;
  const char* const path = "problem.volume.size";
  const bool is_pet = problem.as<ScannerConfig>() != nullptr;
  root.rule(!volume.size && is_pet, path,
            "is required; [slices, rows, columns] of the volume, for example [20, 70, 70]");
  root.rule(!volume.size && problem.phantom, path,
            "is required; [rows, columns] of the image, for example [256, 256]");
  if (!volume.size) return;
  root.rule(is_pet && !volume.slices, path,
            "expected [slices, rows, columns], found [rows, columns]");
  root.rule(volume.slices && !is_pet && !problem.traits().is_read, path,
            "expected [rows, columns], found [slices, rows, columns]");
  if (volume.slices) {
    root.passes(path, [&] { check(problem.scanner_volume()); });
    return;
  }
  const long long rows = (*volume.size)[0], columns = (*volume.size)[1];
  // Fits in 64 bits: an image of 2^31 x 2^31 values in single precision has less than 2^64 bytes.
  root.rule(rows * columns > max_ordinal, path,
            too_many(std::to_string(rows) + " x " + std::to_string(columns) + " pixels are ",
                     rows * columns, " columns", "image"));
}

/// A geometry whose own keys suit each other.
template <class Geometry>
void check_geometry(const ConfigReader& root, const ProblemSection& problem, const Geometry&) {
  check_size(root, problem);
}

void check_geometry(const ConfigReader& root, const ProblemSection& problem,
                    const ScanConfig& scan) {
  const bool measured = problem.sinogram.has_value();
  const bool has_angles = measured && problem.sinogram->is_hdf5();
  root.rule(scan.angles_unit && !scan.angles_from_data && scan.angles_file.empty(),
            "problem.geometry.angles.file", "is required: a .npy, .txt or .csv file of the angles");
  root.rule(scan.angles_from_data && !has_angles,
            root.given("problem.geometry.angles.file") ? "problem.geometry.angles.file"
                                                       : "problem.geometry.angles",
            "auto needs an HDF5 file as problem.sinogram");
  root.rule(scan.range.angle.in_radians() == 0.0, "problem.geometry.range",
            "must not be 0: all views would be at the same angle");
  const bool has_no_views = !measured && !scan.views;
  root.rule(has_no_views && root.given("problem.geometry.views"), "problem.geometry.views",
            "auto needs measured data (problem.sinogram) that set the number of views");
  root.rule(!measured && scan.by_vectors && !scan.detectors, "problem.geometry.detectors",
            "is required: the number of detector elements in the rows of geometry.file");
  root.rule(has_no_views && !scan.has_listed_angles() && !scan.by_vectors, "problem.geometry.views",
            "is required: the number of views (or give a list as geometry.angles)");
  root.rule(!measured && scan.find_rotation_center, "problem.geometry.rotation_center",
            "auto needs measured data (problem.sinogram); give the index of the detector element "
            "instead");
  root.rule(scan.find_rotation_center && scan.numbers.detector_shape == DetectorShape::curved,
            "problem.geometry.rotation_center",
            "auto works for flat detectors only; give the index of the detector element instead");
  check_size(root, problem);
  const long long views = scan.listed_views(), detectors = scan.detectors.value_or(1);
  root.rule(
      views * detectors > max_ordinal, "problem.geometry",
      too_many(std::to_string(views) + " views of " + std::to_string(detectors) + " detectors are ",
               views * detectors, " rows", "data"));
}

void check_geometry(const ConfigReader& root, const ProblemSection& problem,
                    const MatrixFileConfig& file) {
  root.rule(root.given("problem.geometry.views") && !file.views, "problem.geometry.views",
            "auto needs measured data (problem.sinogram) that set the number of views");
  root.rule(file.views.has_value() != file.detectors.has_value(),
            file.views ? "problem.geometry.views" : "problem.geometry.detectors",
            "give both views and detectors, or neither");
  check_size(root, problem);
}

void check_geometry(const ConfigReader& root, const ProblemSection& problem,
                    const BlockRowConfig& row) {
  root.rule(matrix_file_format(problem.matrix) != MatrixFileFormat::npz && row.blocks == 0,
            "problem.blocks",
            "is required; the number of blocks side by side in " + problem.matrix.string());
  check_geometry(root, problem, static_cast<const MatrixFileConfig&>(row));
}

void check_geometry(const ConfigReader& root, const ProblemSection& problem,
                    const ScannerConfig& config) {
  const RingScanner& scanner = config.scanner;
  root.rule(
      scanner.rings > 1 && scanner.ring_pitch == 0 && !root.given("problem.scanner.ring_pitch"),
      "problem.scanner.ring_pitch",
      "is required: the distance between the centres of neighbouring rings");
  root.passes("problem.scanner", [&] { check(scanner); });
  check_size(root, problem);
  root.passes("problem.scanner", [&] { check(problem.scanner_volume(), scanner); });
}

void check_geometry(const ConfigReader& root, const ProblemSection& problem,
                    const ConeBeamRows& cone) {
  root.passes("problem.volume.polar", [&] { check(cone.volume); });
  root.passes("problem.geometry", [&] { check(cone.volume, cone.scan); });
  root.passes("problem.volume.size", [&] { check(problem.scanner_volume()); });
}

// Solvers.

/// Says what filtered back projection lacks in a problem; empty: nothing.
std::string reason_against_fbp(const ProblemSection& problem) {
  const auto* const scan = problem.as<ScanConfig>();
  if (scan == nullptr) return "fbp needs problem.geometry.type: parallel_beam or fan_beam";
  if (scan->by_vectors || scan->numbers.detector_shape == DetectorShape::curved)
    return "fbp needs a flat detector that turns around the axis, not geometry.type: vectors or "
           "detector_shape: curved";
  return "";
}

/// Number of views of which the subsets of a cone beam or a scanner consist.
std::optional<Ordinal> views_of(const ProblemSection& problem) {
  if (const auto* const beam = problem.as<ConeBeamRows>()) return beam->scan.views;
  if (const auto* const pet = problem.as<ScannerConfig>())
    return static_cast<Ordinal>(pet->scanner.crystals_around());
  return problem.views();
}

/// True if \p subsets of a cone beam would differ in size.
bool divides_unevenly(const ProblemSection& problem, int subsets) {
  const auto* const beam = problem.as<ConeBeamRows>();
  return beam && beam->scan.views % subsets != 0;
}

/// Number of subsets that \p problem allows, as an example.
int example_subsets(const ProblemSection& problem) {
  const Ordinal views = views_of(problem).value_or(max_ordinal);
  int subsets = 10;
  while (subsets > 1 && (subsets > views || divides_unevenly(problem, subsets))) --subsets;
  return subsets;
}

/// Checks that the problem has the views that \p sweep orders.
void check_sweep(const ConfigReader& root, const ProblemSection& problem,
                 const SweepConfig& sweep) {
  for (const auto& [path, is_natural] :
       {std::pair{"solver.order", sweep.order == ViewOrder::sequential},
        std::pair{"solver.within_view", sweep.within_view == WithinView::sequential}}) {
    root.rule(!is_natural && !problem.traits().has_views, path,
              "applies only to a parallel or fan beam, whose views it orders; allowed here: "
              "sequential");
    root.rule(!is_natural && problem.has_unknown_rows(), path,
              "orders views; for a matrix from a file give their arrangement as "
              "problem.geometry.views and detectors");
  }
  root.rule(sweep.within_view == WithinView::strided && !sweep.stride && !problem.as<ScanConfig>(),
            "solver.within_view",
            "strided needs solver.stride here, because the distance between the rays is not known");
}

void check_subsets(const ConfigReader& root, const ProblemSection& problem, int subsets) {
  const Ordinal views = views_of(problem).value_or(max_ordinal);
  const std::string count = std::to_string(subsets) + " subsets ";
  root.rule(problem.views() && subsets > views, "solver.subsets",
            count + "are more than the " + std::to_string(views) + " views");
  root.rule(problem.as<ScannerConfig>() && subsets > views, "solver.subsets",
            count + "are more than the views of a scanner with " + std::to_string(views) +
                " crystals around the axis");
  root.rule(divides_unevenly(problem, subsets), "solver.subsets",
            count + "do not divide the " + std::to_string(views) +
                " views of a cone beam evenly; give a divisor");
}

void check_start(const ConfigReader& root, const RunConfig& config) {
  const StartConfig& start = config.solver.start;
  const bool is_mlem = config.solver.kind() == SolverKind::mlem;
  const std::string reason = reason_against_fbp(config.problem);
  const std::string fbp = reason.empty() ? "fbp, " : "";
  root.rule(
      start.kind == StartKind::uniform && !is_mlem, "solver.start",
      "uniform is available only for mlem, which has counts as data; allowed here: zeros, ones, " +
          fbp + "a number, a .npy file");
  root.rule(start.kind == StartKind::fbp && !reason.empty(), "solver.start",
            reason + "; allowed here: " + (is_mlem ? "uniform" : "zeros") +
                ", ones, a number, a .npy file");
  root.rule(is_mlem && start.kind == StartKind::given && start.image.file.empty() &&
                start.image.value <= 0.0,
            "solver.start",
            "mlem only multiplies the image, so zeros would remain zero; use uniform, " + fbp +
                "ones, a positive number or a .npy file");
}

void check_stop(const ConfigReader& root, const ProblemSection& problem, const StopRules& stop) {
  const StopProblem facts{problem.noise.kind != NoiseKind::none,
                          problem.traits().has_views && !problem.has_unknown_rows()};
  StopRules::for_active(stop, [&](const auto& active) {
    const auto [key, refusal] = active.refusal(facts);
    root.rule(!key.empty(), "solver.stop." + std::string(key), std::string(refusal));
  });
}

/// True when the lower bound of x exceeds the upper bound.
bool has_empty_box(const SolverParams& solver) {
  return std::visit(
      [](const auto& params) {
        if constexpr (requires { params.minimum > params.maximum; })
          return params.minimum > params.maximum;
        else
          return false;
      },
      solver);
}

// Meshes.

void check_mesh(const ConfigReader& root, const MeshConfig& mesh) {
  if (!mesh.file.empty()) return;
  root.rule(mesh.size.vertices == 0 && mesh.size.triangles == 0, "problem.mesh.vertices",
            "is required to set the size of the mesh (or give triangles)");
  double triangles =
      static_cast<double>(mesh.size.triangles > 0 ? mesh.size.triangles : 2 * mesh.size.vertices);
  for (int level = 0; level < mesh.refine; ++level) triangles *= 4;
  root.rule(triangles > static_cast<double>(max_triangles), "problem.mesh.refine",
            std::to_string(mesh.refine) + " levels of refinement make " +
                ConfigNode::number(triangles).scalar() + " triangles; a mesh has at most " +
                std::to_string(max_triangles));
}

/// Checks `run` and `solver` of a linear system or a mesh.
void check_system_solver(const ConfigReader& root, const RunConfig& config) {
  const RunSection& run = config.run;
  root.rule(!run.host_backend.empty() || !run.shares.empty(),
            run.host_backend.empty() ? "run.shares" : "run.backend",
            "only the rows of a reconstruction are divided, not those of a problem of type " +
                std::string(to_string(config.problem.kind)));
  const auto* const pcg = std::get_if<PcgParams>(&config.solver.params);
  if (!pcg) return;
  root.rule(pcg->launches == PcgLaunches::resident && pcg->scheme == PcgScheme::standard,
            "solver.launches", "resident needs solver.scheme: single_reduction, not standard");
  const bool in_float = pcg->preconditioner.float_matrix;
  root.rule(in_float && !pcg->preconditioner.scale_matrix, "solver.float_matrix",
            "applies only to the scaled matrix; set scale_matrix: true");
  root.rule(in_float && config.run.scalar == "float", "solver.float_matrix",
            "applies only to run.scalar: double; with float everything is in float already");
}

}  // namespace

void check_keys_of_data(const ConfigReader& root) {
  root.rule(root.given("problem.blocks") && !root.given("problem.block_row"), "problem.blocks",
            blocks_are_of_block_row);
  root.rule(root.given("problem.scanner") && root.given("problem.geometry"), "problem.geometry",
            "has no effect on a PET scanner (problem.scanner), whose rays connect its crystals");
  for (const char* const path : {"problem.matrix", "problem.block_row"})
    root.rule(
        root.given("problem.sinogram") && root.given(path), path,
        "cannot be combined with problem.sinogram, which needs a geometry; give the data of a "
        "matrix from a file as problem.rhs");
  root.rule(
      root.given("problem.sinogram") && root.given("problem.scanner"), "problem.scanner",
      "cannot be combined with problem.sinogram, which needs views and detectors; give the data "
      "of a scanner, one number per pair of crystals, as problem.rhs");
  const auto noise = from_string<NoiseKind>(root.text_at("problem.noise.type"));
  root.rule(noise && *noise != NoiseKind::none && !root.given("problem.phantom"),
            "problem.noise.type",
            "noise is added only to the data of a phantom (problem.phantom), not to measured data");
}

void check_tomography(const ConfigReader& root, const ProblemSection& problem, ConfigUse use) {
  check_sinogram(root, problem);
  check_sources(root, problem, use);
  std::visit([&](const auto& geometry) { check_geometry(root, problem, geometry); },
             problem.geometry);
  check_data(root, problem);
  check_masks(root, problem);
}

void check_image_solver_type(const ConfigReader& root, const RunConfig& config) {
  const SolverKind kind = config.solver.kind();
  const auto names = [](bool (*test)(SolverKind)) {
    return join_names(solver_names(
        [test](SolverKind other) { return !solves_square_systems(other) && test(other); }));
  };
  const ConfigNode* const subsets = root.find_path("solver.subsets");
  root.rule(
      root.text_at("solver.type") == "osem" && (!subsets || as_number(*subsets) == 1),
      "solver.type",
      "osem is mlem with ordered subsets of the views; give their number as solver.subsets, for "
      "example " +
          std::to_string(example_subsets(config.problem)));
  root.rule(config.problem.slices && has_sweeps(kind), "solver.type",
            std::string(to_string(kind)) +
                " solves one slice at a time; problem.slices is available for " +
                names([](SolverKind other) { return !has_sweeps(other); }) +
                " (to select a slice of measured data, give problem.sinogram.slice)");
  root.rule(kind == SolverKind::os_sart && !root.given("solver.subsets"), "solver.subsets",
            "is required; the number of ordered subsets of the views (for one view per subset use "
            "sart)");
  const std::string reason = reason_against_fbp(config.problem);
  root.rule(kind == SolverKind::fbp && !reason.empty(), "solver.type",
            reason + "; available here: " + names([](SolverKind other) {
              return other != SolverKind::fbp;
            }));
}

void check_solver(const ConfigReader& root, const RunConfig& config) {
  if (config.problem.kind != ProblemKind::tomography) return check_system_solver(root, config);
  root.rule(has_empty_box(config.solver.params), "solver.minimum",
            "must not be greater than solver.maximum");
  if (has_sweeps(config.solver.kind())) check_sweep(root, config.problem, config.solver.sweep);
  check_subsets(root, config.problem, config.solver.subsets());
  check_start(root, config);
  check_stop(root, config.problem, config.solver.stop);
}

void check_stencil(const ConfigReader& root, std::string_view path, const StencilRows& stencil) {
  const Offset plane = static_cast<Offset>(stencil.size[0]) * stencil.size[1];
  root.rule(plane > max_ordinal / stencil.unknowns / stencil.size[2], path,
            "has more unknowns than a 32-bit index can number; choose a smaller grid");
}

void check_system(const ConfigReader& root, const ProblemSection& problem) {
  if (problem.stencil) check_stencil(root, "problem.stencil.size", *problem.stencil);
  if (problem.mesh) check_mesh(root, *problem.mesh);
}

}  // namespace Tomokkos
