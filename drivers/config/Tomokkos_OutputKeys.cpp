// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section `output`.
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_WriteSections.hpp>

namespace Tomokkos {
namespace {

std::string read_report_name(const ConfigReader& reader) {
  const std::string name = reader.string("report");
  const std::filesystem::path report(name);
  if (name.empty() || report.has_parent_path() || report == "." || report == "..")
    reader.fail("report", "expected the name of a file in output.directory, without a folder");
  for (const char* extension : {".npy", ".npz", ".png", ".tif", ".obj", ".off", ".ply"})
    if (report.extension() == extension)
      reader.fail("report", std::string("is a text, and could take the place of a result in ") +
                                extension + "; name it otherwise, for example report.yaml");
  return name;
}

std::optional<std::array<double, 2>> read_window(const ConfigReader& reader) {
  if (is_auto(reader, "window")) return std::nullopt;
  const ConfigNode& window = *reader.find("window");
  const std::string path = reader.path_of("window");
  if (!window.is_list() || window.items().size() != 2)
    fail_at(window, path, "expected [low, high] or auto, found " + window.describe());
  const std::array<double, 2> ends{number_of(window.items()[0], path),
                                   number_of(window.items()[1], path)};
  if (!(ends[0] < ends[1])) fail_at(window, path, "the lower end must lie below the upper one");
  return ends;
}

void describe_checkpoint(Keys& key, OutputSection& output) {
  key.integer("checkpoint", output.checkpoint, 0, most_count,
              "Writes a checkpoint every n iterations; 0: never.");
}

void describe_images(Keys& key, OutputSection& output) {
  key.integer("every", output.every, 0, most_count,
              "Writes the image of every n-th iteration, too; 0: none.");
  describe_checkpoint(key, output);
  key.value(
      "window", "[low, high] or auto",
      "Values that are black and white in pictures; auto: the range of the phantom, or the "
      "percentiles 0.5 and 99.5 of each image.",
      [&](const ConfigReader& reader) { output.window = read_window(reader); },
      [&] {
        return output.window ? ConfigNode::numbers(*output.window) : ConfigNode::text("auto");
      });
}

}  // namespace

void describe(Keys& key, OutputSection& output, ProblemKind kind) {
  key.value(
      "directory", "a folder", "Where the results go; by default out/ and the name of the file.",
      [&](const ConfigReader& reader) { output.directory = reader.file("directory"); },
      [&] { return Impl::file_node(output.directory); });
  if (kind == ProblemKind::tomography)
    key.names(
        "image", output.image,
        "Files of images and data; tiff holds numbers in float, tiff16 levels of their range, "
        "which the report tells.");
  if (kind == ProblemKind::linear_system)
    key.names("solution", output.solution, "Files that the solution is written to.");
  if (kind == ProblemKind::smoothing)
    key.name("mesh", output.mesh, "File that the mesh is written to.");
  if (kind == ProblemKind::smoothing || kind == ProblemKind::parameterization)
    key.integer("picture_size", output.picture_size, 0, 8192,
                "Pixels of the longer side of pictures, from 16; 0: no pictures.");
  key.value(
      "report", "the name of a file", "The report, in output.directory.",
      [&](const ConfigReader& reader) { output.report = read_report_name(reader); },
      [&] { return ConfigNode::text(output.report); });
  if (kind == ProblemKind::tomography) describe_images(key, output);
  if (kind != ProblemKind::tomography) describe_checkpoint(key, output);
}

OutputSection read_output(const ConfigReader& root, const RunConfig& config,
                          const std::string& name) {
  const ProblemKind kind = config.problem.kind;
  OutputSection result;
  result.directory = std::filesystem::current_path() / "out" / name;
  const ConfigReader reader = root.section("output", names_of_keys(result, kind));
  read_keys(reader, result, kind);
  if (result.picture_size > 0 && result.picture_size < 16)
    reader.fail("picture_size", "pictures have 16 to 8192 pixels; 0 leaves them out");
  if (result.writes(ImageFile::tiff) && result.writes(ImageFile::tiff16))
    reader.fail("image", "tiff and tiff16 are two files of one name; give one");
  const ProblemSection& problem = config.problem;
  const bool has_shape = problem.volume.size || !problem.traits().is_read ||
                         problem.traits().is_circulant || kind != ProblemKind::tomography;
  if (!has_shape && !result.image.empty() && !result.writes(ImageFile::npy))
    reader.fail("image",
                "the matrix is from a file, and without problem.volume.size its image has no rows "
                "and columns, which png and tiff need; add npy");
  const int check_every = config.solver.check_every();
  for (const auto& [key, every] :
       {std::pair{"every", result.every}, {"checkpoint", result.checkpoint}})
    if (every % check_every != 0)
      reader.fail(key, "must be a multiple of solver.check_every (" + std::to_string(check_every) +
                           "), since " + (kind == ProblemKind::tomography ? "images" : "iterates") +
                           " are only seen then");
  return result;
}

}  // namespace Tomokkos
