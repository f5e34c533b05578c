// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section `output`.
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <map>

namespace Tomokkos {
namespace {

std::string read_report_name(const ConfigNode& node, const std::string& path) {
  const std::string& name = string_of(node, path);
  const std::filesystem::path report(name);
  if (name.empty() || report.has_parent_path() || report == "." || report == "..")
    fail_at(node, path, "expected the name of a file in output.directory, without a folder");
  std::vector<std::string_view> results{".obj", ".off", ".ply"};
  for (const ImageFormat& format : image_formats()) results.push_back(format.extension());
  if (const std::string extension = report.extension(); holds(results, extension))
    fail_at(node, path,
            "is a text file and could overwrite a result in " + extension +
                "; choose another name, for example report.yaml");
  return name;
}

std::optional<std::array<double, 2>> read_window(const ConfigNode& node, const std::string& path) {
  if (is_auto(node)) return std::nullopt;
  if (!node.is_list() || node.items().size() != 2)
    fail_at(node, path, "expected [low, high] or auto, found " + node.describe());
  const std::vector<double> ends = numbers_of(node, path);
  if (!(ends[0] < ends[1])) fail_at(node, path, "the lower end must be less than the upper end");
  return std::array{ends[0], ends[1]};
}

ConfigNode window_node(const std::optional<std::array<double, 2>>& window) {
  return window ? ConfigNode::numbers(*window) : ConfigNode::text("auto");
}

bool is_array(const ImageFormat& format) { return format.content == ImageContent::array; }

/// Refuses formats that write files of the same name, and those that need rows and columns for an
/// image without a shape.
void check_formats(const ConfigReader& root, const OutputSection& output, bool has_shape) {
  bool fits = has_shape || output.image.empty();
  std::map<std::string_view, std::string> names;  // by extension
  for (const ImageFormat& format : image_formats()) {
    if (!output.writes(format)) continue;
    fits = fits || is_array(format);
    const auto [other, is_new] = names.emplace(format.extension(), format.name);
    root.rule(!is_new, "output.image",
              other->second + " and " + std::string(format.name) +
                  " would write files of the same name; give one");
  }
  const auto list = [](const char* last, bool of_arrays) {
    return list_formats(last, [&](const ImageFormat& format) {
      return is_array(format) == of_arrays && format.writer.levels.empty() ? format.name : "";
    });
  };
  root.rule(
      !fits, "output.image",
      list(" and ", false) +
          " need the rows and columns of the image, which a matrix from a file does not have; "
          "give problem.volume.size or add " +
          list(" or ", true));
}

void describe_formats(Keys& key, OutputSection& output) {
  std::vector<std::string_view> names;
  for (const ImageFormat& format : image_formats())
    if (!format.name.empty()) names.push_back(format.name);
  key.value(
      "image", output.image, "a list of " + join_names(names),
      "File formats of images and data; tiff holds values in float, tiff16 values scaled to 16 "
      "bits, with the scale in the report; hdf5 holds values as the dataset image.",
      [names](const ConfigNode& node, const std::string& path) {
        const auto texts = list_of(node, path, names);
        return std::vector<std::string>(texts.begin(), texts.end());
      },
      [](const std::vector<std::string>& formats) { return ConfigNode::texts(formats); });
}

}  // namespace

void describe(Keys& key, OutputSection& output, ProblemKind kind) {
  const bool is_image = kind == ProblemKind::tomography;
  key.identity_of({}, Identity::none);
  key.value("directory", output.directory, "a folder",
            "Folder for the results; by default out/ followed by the name of the configuration "
            "file.",
            file_of, Impl::file_node);
  if (is_image) describe_formats(key, output);
  if (kind == ProblemKind::linear_system)
    key.names("solution", output.solution, "File formats of the solution.");
  if (kind == ProblemKind::smoothing) key.name("mesh", output.mesh, "File format of the mesh.");
  if (kind == ProblemKind::smoothing || kind == ProblemKind::parameterization)
    key.integer("picture_size", output.picture_size, 0, 8192,
                "Length of the longer side of pictures in pixels, at least 16; 0: no pictures.");
  key.value("report", output.report, "the name of a file",
            "File name of the report, within output.directory.", read_report_name,
            ConfigNode::text);
  if (is_image)
    key.integer("every", output.every, 0, max_count,
                "Number of iterations between images that are also written; 0: none.");
  key.integer("checkpoint", output.checkpoint, 0, max_count,
              "Number of iterations between checkpoints; 0: no checkpoints.");
  if (is_image)
    key.value("window", output.window, "[low, high] or auto",
              "Values shown as black and white in pictures; auto: the range of the phantom, or the "
              "percentiles 0.5 and 99.5 of each image.",
              read_window, window_node);
}

void check_output(const ConfigReader& root, const RunConfig& config) {
  const OutputSection& output = config.output;
  const ProblemSection& problem = config.problem;
  const bool is_image = problem.kind == ProblemKind::tomography;
  root.rule(output.picture_size > 0 && output.picture_size < 16, "output.picture_size",
            "must be from 16 to 8192 pixels, or 0 for no pictures");
  check_formats(root, output,
                problem.volume.size || !problem.traits().is_read || problem.traits().is_circulant ||
                    !is_image);
  const int check_every = config.solver.check_every();
  for (const auto& [path, every] :
       {std::pair{"output.every", output.every}, std::pair{"output.checkpoint", output.checkpoint}})
    root.rule(every % check_every != 0, path,
              "must be a multiple of solver.check_every (" + std::to_string(check_every) +
                  "), because " + (is_image ? "images" : "iterates") + " are available only then");
}

}  // namespace Tomokkos
