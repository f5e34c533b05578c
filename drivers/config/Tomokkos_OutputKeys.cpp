// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section `output`.
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_Rules.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <map>

namespace Tomokkos {
namespace {

std::string read_report_name(const ConfigReader& reader) {
  const std::string name = reader.string("report");
  const std::filesystem::path report(name);
  if (name.empty() || report.has_parent_path() || report == "." || report == "..")
    reader.fail("report", "expected the name of a file in output.directory, without a folder");
  std::vector<std::string_view> results{".obj", ".off", ".ply"};
  for (const ImageFormat& format : image_formats()) results.push_back(format.extension());
  for (const std::string_view extension : results)
    if (report.extension() == extension)
      reader.fail("report", "is a text file and could overwrite a result in " +
                                std::string(extension) +
                                "; choose another name, for example report.yaml");
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
  if (!(ends[0] < ends[1])) fail_at(window, path, "the lower end must be less than the upper end");
  return ends;
}

bool is_array(const ImageFormat& format) { return format.content == ImageContent::array; }

/// Refuses formats that write files of the same name, and those that need rows and columns for an
/// image without a shape.
void check_formats(const RuleCheck& rule, const OutputSection& output, bool has_shape) {
  bool fits = has_shape || output.image.empty();
  std::map<std::string_view, std::string> names;  // by extension
  for (const ImageFormat& format : image_formats()) {
    if (!output.writes(format)) continue;
    fits = fits || is_array(format);
    const auto [other, is_new] = names.emplace(format.extension(), format.name);
    rule(!is_new, "output.image",
         other->second + " and " + std::string(format.name) +
             " would write files of the same name; give one");
  }
  const auto list = [](const char* last, bool of_arrays) {
    return list_formats(last, [&](const ImageFormat& format) {
      return is_array(format) == of_arrays && format.writer.levels.empty() ? format.name : "";
    });
  };
  rule(!fits, "output.image",
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
      "image", "a list of " + join_names(names),
      "File formats of images and data; tiff holds values in float, tiff16 values scaled to 16 "
      "bits, with the scale in the report; hdf5 holds values as the dataset image.",
      [&output, names](const ConfigReader& reader) {
        const auto texts = reader.list_of("image", names);
        output.image.assign(texts.begin(), texts.end());
      },
      [&output] {
        ConfigNode list = ConfigNode::list();
        for (const std::string& name : output.image) list.push_back(ConfigNode::text(name));
        return list;
      });
}

void describe_checkpoint(Keys& key, OutputSection& output) {
  key.integer("checkpoint", output.checkpoint, 0, max_count,
              "Number of iterations between checkpoints; 0: no checkpoints.");
}

void describe_images(Keys& key, OutputSection& output) {
  key.integer("every", output.every, 0, max_count,
              "Number of iterations between images that are also written; 0: none.");
  describe_checkpoint(key, output);
  key.value(
      "window", "[low, high] or auto",
      "Values shown as black and white in pictures; auto: the range of the phantom, or the "
      "percentiles 0.5 and 99.5 of each image.",
      [&](const ConfigReader& reader) { output.window = read_window(reader); },
      [&] {
        return output.window ? ConfigNode::numbers(*output.window) : ConfigNode::text("auto");
      });
}

}  // namespace

void describe(Keys& key, OutputSection& output, ProblemKind kind) {
  key.identity_of({}, Identity::none);
  key.value(
      "directory", "a folder",
      "Folder for the results; by default out/ followed by the name of the configuration file.",
      [&](const ConfigReader& reader) { output.directory = reader.file("directory"); },
      [&] { return Impl::file_node(output.directory); });
  if (kind == ProblemKind::tomography) describe_formats(key, output);
  if (kind == ProblemKind::linear_system)
    key.names("solution", output.solution, "File formats of the solution.");
  if (kind == ProblemKind::smoothing) key.name("mesh", output.mesh, "File format of the mesh.");
  if (kind == ProblemKind::smoothing || kind == ProblemKind::parameterization)
    key.integer("picture_size", output.picture_size, 0, 8192,
                "Length of the longer side of pictures in pixels, at least 16; 0: no pictures.");
  key.value(
      "report", "the name of a file", "File name of the report, within output.directory.",
      [&](const ConfigReader& reader) { output.report = read_report_name(reader); },
      [&] { return ConfigNode::text(output.report); });
  if (kind == ProblemKind::tomography) describe_images(key, output);
  if (kind != ProblemKind::tomography) describe_checkpoint(key, output);
}

void check_output(const RuleCheck& rule, const RunConfig& config) {
  const OutputSection& output = config.output;
  const ProblemSection& problem = config.problem;
  const bool is_image = problem.kind == ProblemKind::tomography;
  rule(output.picture_size > 0 && output.picture_size < 16, "output.picture_size",
       "must be from 16 to 8192 pixels, or 0 for no pictures");
  check_formats(rule, output,
                problem.volume.size || !problem.traits().is_read || problem.traits().is_circulant ||
                    !is_image);
  const int check_every = config.solver.check_every();
  for (const auto& [path, every] :
       {std::pair{"output.every", output.every}, std::pair{"output.checkpoint", output.checkpoint}})
    rule(every % check_every != 0, path,
         "must be a multiple of solver.check_every (" + std::to_string(check_every) +
             "), because " + (is_image ? "images" : "iterates") + " are available only then");
}

}  // namespace Tomokkos
