// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section `problem` for linear systems and problems on meshes. Tomokkos_TomographyKeys.cpp
// describes it for tomography.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_SectionKeys.hpp>
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

void read_right_hand_side(const ConfigNode& node, const std::string& path,
                          ProblemSection& problem) {
  const std::string& text = string_of(node, path);
  problem.linear_rhs = from_string<LinearRhs>(text).value_or(LinearRhs::file);
  if (problem.linear_rhs != LinearRhs::file) return;
  problem.rhs = file_of(node, path);
  if (!is_vector_file(problem.rhs))
    fail_at(node, path,
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
      [&](const ConfigNode& node, const std::string& path) {
        read_right_hand_side(node, path, problem);
      },
      [&] { return right_hand_side_node(problem); });
}

// Meshes.

/// Reads a fraction of two whole numbers, or a number.
std::optional<double> as_share(const ConfigNode& node) {
  if (!node.is_scalar() || node.is_quoted()) return std::nullopt;
  const std::string& text = node.scalar();
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return as_number(node);
  long long parts[2];
  const char* begins[2] = {text.data(), text.data() + slash + 1};
  const char* ends[2] = {text.data() + slash, text.data() + text.size()};
  for (int i = 0; i < 2; ++i) {
    const auto [end, error] = std::from_chars(begins[i], ends[i], parts[i]);
    if (error != std::errc() || end != ends[i]) return std::nullopt;
  }
  if (parts[1] == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(parts[0]) / static_cast<double>(parts[1]);
}

/// Reads `1/10`, `0.1`, `border`, or a `.npy` or `.txt` file.
LocksConfig read_locks(const ConfigNode& node, const std::string& path) {
  LocksConfig result;
  result.position = node.position;
  if (const auto share = read_locked_share(node, path)) {
    result.share = *share;
    result.text = node.scalar();
    return result;
  }
  const std::string expected =
      "expected a share of the vertices (1/10, 0.1), border, or a .npy or .txt file of vertex "
      "numbers; found " +
      node.describe();
  if (!node.is_scalar()) fail_at(node, path, expected);
  result.rule = node.scalar() == "border" ? LockRule::border : LockRule::file;
  if (result.rule == LockRule::border) return result;
  result.file = file_of(node, path);
  if (result.file.extension() != ".npy" && result.file.extension() != ".txt")
    fail_at(node, path, expected);
  return result;
}

ConfigNode locks_node(const LocksConfig& locks) {
  if (locks.rule == LockRule::share) return ConfigNode::plain(locks.text);
  return ConfigNode::text(locks.rule == LockRule::border ? "border" : locks.file.string());
}

/// Reads a vertex, numbered from 1 in the file and from 0 in the result, and its position if given.
Ordinal read_pin(const ConfigNode& item, const std::string& path,
                 std::optional<std::array<double, 2>>& position) {
  const auto vertex_of = [](const ConfigNode& node, const std::string& name) {
    const long long vertex = integer_of(node, name, 1, std::numeric_limits<Ordinal>::max());
    return static_cast<Ordinal>(vertex - 1);
  };
  if (!item.is_map()) return vertex_of(item, path);
  const ConfigReader reader(item, path, {"vertex", "position"});
  reader.require_key("vertex", "the number of a vertex, from 1");
  if (const ConfigNode* place = reader.find("position")) {
    const std::string name = reader.path_of("position");
    if (!place->is_list() || place->items().size() != 2)
      fail_at(*place, name, "expected [u, v], found " + place->describe());
    position = {number_of(place->items()[0], name), number_of(place->items()[1], name)};
  }
  return vertex_of(*reader.find("vertex"), reader.path_of("vertex"));
}

/// Reads two vertices, or two of `{vertex: 1, position: [u, v]}`. Empty for `auto`.
std::optional<PinsConfig> read_pins(const ConfigNode& node, const std::string& path) {
  if (node.is_scalar() && node.scalar() == "auto") return std::nullopt;
  const auto fail = [&](const std::string& message) { fail_at(node, path, message); };
  if (!node.is_list() || node.items().size() != 2)
    fail(
        "expected two vertices, [1, 2] or [{vertex: 1, position: [0, 0]}, {vertex: 2, position: "
        "[1, 0]}], or auto; found " +
        (node.is_list() ? "a list of " + std::to_string(node.items().size()) : node.describe()));
  PinsConfig result;
  result.position = node.position;
  std::array<std::optional<std::array<double, 2>>, 2> positions;
  for (std::size_t pin = 0; pin < 2; ++pin)
    result.vertices[pin] =
        read_pin(node.items()[pin], path + "[" + std::to_string(pin) + "]", positions[pin]);
  if (result.vertices[0] == result.vertices[1])
    fail("vertex " + std::to_string(result.vertices[0] + 1) +
         " is named twice; a chart needs two different pins");
  if (positions[0].has_value() != positions[1].has_value())
    fail("only one of the two has a position; give both or none");
  if (!positions[0]) return result;
  if (*positions[0] == *positions[1])
    fail("both have the same position, which would shrink the chart to a point");
  result.positions = {*positions[0], *positions[1]};
  return result;
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
          [&](const ConfigNode& node, const std::string& path) {
            mesh.file = read_mesh_file(node, path);
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

std::optional<double> read_locked_share(const ConfigNode& node, const std::string& path) {
  const auto share = as_share(node);
  if (share && !(*share > 0 && *share <= 1))
    fail_at(node, path,
            node.scalar() +
                " is out of range; expected a share of the vertices, greater than 0 and at most 1");
  return share;
}

ConfigNode pins_node(const std::optional<PinsConfig>& pins) {
  if (!pins) return ConfigNode::text("auto");
  ConfigNode node = ConfigNode::list();
  for (std::size_t pin = 0; pin < 2; ++pin) {
    ConfigNode vertex = ConfigNode::integer(pins->vertices[pin] + 1LL);
    if (!pins->positions) {
      node.push_back(std::move(vertex));
      continue;
    }
    ConfigNode entry = ConfigNode::map();
    entry.set("vertex", std::move(vertex));
    entry.set("position", ConfigNode::numbers((*pins->positions)[pin]));
    node.push_back(std::move(entry));
  }
  return node;
}

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
  check_stencil(parent, "stencil.size", result);
  return result;
}

void describe(Keys& key, ProblemSection& problem, ConfigUse use) {
  static const std::string available = "available: " + problem_kinds();
  key.required(available.c_str())
      .value(
          "type", problem_kinds(), "Kind of problem.",
          [](const ConfigNode& node, const std::string& path) {
            one_of(node, path, names_of<ProblemKind>());
          },
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
