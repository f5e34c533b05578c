// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section `problem` for linear systems and problems on meshes. Tomokkos_TomographyKeys.cpp
// describes it for tomography.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_ProblemKeys.hpp>
#include <Tomokkos_Rules.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace Tomokkos {
namespace {

/// Reads one number or `[nx, ny, nz]`.
std::array<Ordinal, 3> read_stencil_size(const ConfigNode& node, const std::string& path) {
  const auto count = [&](const ConfigNode& number) {
    return static_cast<Ordinal>(integer_of(number, path, 1, max_ordinal));
  };
  std::array<Ordinal, 3> size;
  if (!node.is_list()) {
    size.fill(count(node));
    return size;
  }
  if (node.items().size() != 3) fail_at(node, path, "expected one number, or [nx, ny, nz]");
  std::transform(node.items().begin(), node.items().end(), size.begin(), count);
  return size;
}

void read_right_hand_side(const ConfigReader& reader, ProblemSection& problem) {
  const std::string text = reader.string("rhs");
  problem.linear_rhs = from_string<LinearRhs>(text).value_or(LinearRhs::file);
  if (problem.linear_rhs != LinearRhs::file) return;
  problem.rhs = reader.file("rhs");
  if (!is_vector_file(problem.rhs))
    reader.fail("rhs",
                "expected a .mtx, .mtx.gz or .npy file, ones or random; found \"" + text + "\"");
}

ConfigNode right_hand_side_node(const ProblemSection& problem) {
  return problem.linear_rhs == LinearRhs::file ? Impl::file_node(problem.rhs)
                                               : Impl::name_of(problem.linear_rhs);
}

void describe_linear_system(Keys& key, ProblemSection& problem, ConfigUse use) {
  const bool had_stencil = problem.stencil.has_value();
  key.printed(had_stencil)
      .optional_section("stencil", problem.stencil, "Generates the matrix of a stencil on a grid.");
  // Help and name lists create an empty stencil to describe it; only reading gives it a size.
  const bool has_stencil = had_stencil || (problem.stencil && problem.stencil->size[0] > 0);
  key.identity(Identity::run);
  key.when(!has_stencil, "no stencil", "and stencil both define the matrix; give one")
      .required("the matrix: a .mtx, .mtx.gz, .tar.gz or .npz file (or problem.stencil)")
      .file(
          "matrix", problem.matrix, "a .mtx, .mtx.gz, .tar.gz or .npz file", "File of the matrix.",
          [](const std::filesystem::path& file) {
            return is_matrix_file(file) && matrix_file_format(file) != MatrixFileFormat::csr4;
          },
          "expected a .mtx, .mtx.gz, .tar.gz or .npz file");
  if (use == ConfigUse::run)
    key.required("the right-hand side: a .mtx or .npy file, ones, or random");
  key.identity(Identity::run);
  key.value(
      "rhs", "a .mtx, .mtx.gz or .npy file, ones or random",
      "The right-hand side; random: uniform between -1 and 1, from run.seed.",
      [&](const ConfigReader& reader) { read_right_hand_side(reader, problem); },
      [&] { return right_hand_side_node(problem); });
}

std::filesystem::path read_mesh_file(const ConfigNode& node, const std::string& path) {
  std::filesystem::path file = file_of(node, path);
  if (!is_mesh_file(file))
    fail_at(node, path, file.string() + ": expected a .obj, .off or .ply file");
  return file;
}

void describe_mesh_problem(Keys& key, ProblemSection& problem) {
  if (!problem.mesh) problem.mesh.emplace();
  MeshConfig& mesh = *problem.mesh;
  key.required("a .obj, .off or .ply file, or a map: {generate: hills, vertices: 10000}")
      .section_or(
          "mesh", "a .obj, .off or .ply file, or a section", "Mesh, read from a file or generated.",
          [&](const ConfigReader& reader) {
            mesh.file = read_mesh_file(*reader.find("mesh"), reader.path_of("mesh"));
          },
          [] { return ConfigNode::map(); }, [&](Keys& keys) { describe(keys, mesh); });
  if (problem.kind == ProblemKind::smoothing) {
    key.value("locked", problem.locked,
              "a share such as 1/10 or 0.1, border, or a .npy or .txt file",
              "Vertices that keep their positions: a share drawn with run.seed, the vertices on "
              "borders, or vertex numbers from a file.",
              read_locks, locks_node);
    return;
  }
  key.name(
      "form", problem.form,
      "Storage of the matrix of the chart; equations: assembled and stored in operator.format.");
  key.value("pins", problem.pins, "[vertex, vertex], two of {vertex, position: [u, v]}, or auto",
            "Two vertices with fixed positions, numbered from 1; auto: far apart on the longest "
            "border.",
            read_pins, pins_node);
}

}  // namespace

void describe(Keys& key, MeshConfig& mesh) {
  key.printed(!mesh.file.empty())
      .value("file", mesh.file, "a .obj, .off or .ply file", "File of the mesh.", read_mesh_file,
             Impl::file_node);
  const bool is_read = !mesh.file.empty();
  const std::string why_not = "has no effect on a mesh from a file";
  key.when(is_read, "file", "has no effect on a generated mesh, whose vertices never coincide")
      .boolean("weld", mesh.weld, "Joins vertices that coincide, before any other step.");
  key.when(!is_read, "no file", why_not)
      .required("hills, cap, disk or swiss_roll (or file)")
      .name("generate", mesh.shape, "Shape of the generated mesh.");
  key.when(!is_read, "generate", why_not)
      .printed(mesh.size.vertices > 0)
      .integer("vertices", mesh.size.vertices, 4, max_triangles / 2,
               "Number of vertices of the mesh.");
  key.when(!is_read && mesh.size.vertices == 0, "generate and no vertices",
           is_read ? why_not : "and vertices both set the size of the mesh; give one")
      .printed(mesh.size.triangles > 0)
      .integer("triangles", mesh.size.triangles, 2, max_triangles,
               "Number of triangles of the mesh.");
  key.integer("seed", mesh.seed, 0, std::numeric_limits<long long>::max(),
              "Seed of the shape and of the noise.");
  key.integer("refine", mesh.refine, 0, 15,
              "Number of refinements, each of which cuts every triangle into four.");
  key.number(
      "noise", mesh.noise, KeyRange::not_negative(),
      "Standard deviation of the noise added to the vertices, in units of the mean edge length.");
}

void describe(Keys& key, StencilRows& stencil) {
  key.one_of("points", stencil.points, {7, 27},
             "Number of grid points that each point is coupled to, itself included.");
  key.required("points along a side, or [nx, ny, nz]")
      .value("size", stencil.size, "a whole number, or [nx, ny, nz]",
             "Number of grid points along each side.", read_stencil_size,
             [](const auto& size) { return ConfigNode::integers(size); });
  key.integer("unknowns", stencil.unknowns, 1, 64, "Number of unknowns per grid point.");
}

ConfigAngle read_angle(const ConfigNode& node, const std::string& path) {
  ConfigAngle result;
  result.text = string_of(node, path);
  try {
    // Convert turns to degrees, which are exact decimals.
    std::string_view text = result.text;
    const std::size_t unit = text.find("turn");
    if (unit != std::string_view::npos && unit + 4 == text.size()) {
      text = text.substr(0, unit);
      while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
      double turns = 0.0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), turns);
      if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(turns))
        throw ConfigError("\"" + result.text + "\" is not an angle");
      result.angle = Angle::degrees(360.0 * turns);
    } else {
      result.angle = Angle::parse(text);
      result.has_unit = !as_number(node);
    }
  } catch (const Error& error) {
    fail_at(node, path,
            "expected an angle: radians, or a number with a unit (180 deg, 3.1 rad, 0.5 turn); " +
                std::string(error.what()));
  }
  return result;
}

StencilRows read_stencil(const ConfigReader& parent) {
  StencilRows result;
  read_section(parent, "stencil", result);
  check_stencil(RuleCheck(parent), "stencil.size", result);
  return result;
}

void describe(Keys& key, ProblemSection& problem, ConfigUse use) {
  static const std::string available = "available: " + problem_kinds();
  key.required(available.c_str())
      .value(
          "type", problem_kinds(), "Kind of problem.",
          [](const ConfigReader& reader) { reader.choice("type", ProblemKind::tomography); },
          [&] { return Impl::name_of(problem.kind); });
  key.end_of_choice();
  if (problem.kind == ProblemKind::tomography)
    describe_tomography(key, problem);
  else if (problem.kind == ProblemKind::linear_system)
    describe_linear_system(key, problem, use);
  else
    describe_mesh_problem(key, problem);
}

}  // namespace Tomokkos
