// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes the section `problem` of a tomography: its data, and all together.
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_SectionKeys.hpp>

namespace Tomokkos {
namespace {

// The data.

std::filesystem::path read_phantom_file(const ConfigNode& node, const std::string& path,
                                        bool is_solid) {
  const std::filesystem::path file = file_of(node, path);
  if (lower_extension(file) != ".npy")
    fail_at(
        node, path,
        file.string() + ": expected a .npy file of rows x columns, or of slices x rows x columns");
  if (is_solid)
    fail_at(node, path,
            "a cone beam needs a phantom by name, which is sampled in polar voxels; an image of "
            "pixels is available only for other geometries");
  return file;
}

std::vector<std::string_view> phantom_names(bool is_solid) {
  if (!is_solid) return names_of<PhantomKind>();
  std::vector<std::string_view> names = names_of<SolidPhantomKind>();
  for (const auto& [kind, name] : EnumNames<PhantomKind>::names)
    if (is_made_of_ellipses(kind) && !from_string<SolidPhantomKind>(name)) names.push_back(name);
  return names;
}

void read_phantom_name(const ConfigNode& node, const std::string& path, bool is_solid,
                       PhantomConfig& phantom) {
  const std::string& name = one_of(node, path, phantom_names(is_solid));
  if (is_solid) phantom.solid = from_string<SolidPhantomKind>(name);
  if (!phantom.solid) phantom.kind = *from_string<PhantomKind>(name);
}

void describe_phantom(Keys& key, PhantomConfig& phantom, bool is_solid) {
  key.identity(Identity::run);
  key.printed(!phantom.file.empty())
      .value(
          "file", phantom.file, "a .npy file",
          "Image or stack of images, instead of a named phantom.",
          [is_solid](const ConfigNode& node, const std::string& path) {
            return read_phantom_file(node, path, is_solid);
          },
          Impl::file_node);
  const auto named = [&]() -> Keys& {
    return key.when(phantom.file.empty(), "no file",
                    "has no effect on an image from a file (problem.phantom.file)");
  };
  named()
      .required("for example shepp_logan")
      .value(
          "kind", join_names(phantom_names(is_solid)), "Name of the phantom.",
          [=, &phantom](const ConfigNode& node, const std::string& path) {
            read_phantom_name(node, path, is_solid, phantom);
          },
          [&phantom] {
            return phantom.solid ? Impl::name_of(*phantom.solid) : Impl::name_of(phantom.kind);
          });
  named().integer(
      "supersampling", phantom.sampling.supersampling, 1, 256,
      "Number of sample points along each side of a pixel, over which the phantom is averaged.");
  const bool has_tile = !phantom.solid && phantom.kind == PhantomKind::checkerboard;
  if (phantom.file.empty())
    key.when(has_tile, "kind: checkerboard",
             "has no effect on the phantom " + std::string(to_string(phantom.kind)) +
                 "; it belongs to checkerboard");
  else
    named();
  key.integer("tile", phantom.sampling.checkerboard_tile, 0, max_ordinal,
              "Side of a square in pixels; 0: an eighth of the image.");
}

/// Names the files that can be read: `a .npy, .npz, .tif or HDF5 file`.
std::string any_format() {
  return "a " + list_formats(" or ", [](const ImageFormat& f) { return f.reader.name; }) + " file";
}

bool is_image_file(const std::filesystem::path& file) { return image_format_of(file) != nullptr; }

/// Reads a file name. The word `auto`, for the fields of the HDF5 file, leaves it empty.
void read_field(const ConfigNode& node, const std::string& path, std::filesystem::path& file) {
  if (is_auto(node)) return;
  file = file_of(node, path);
  if (!is_image_file(file))
    fail_at(node, path,
            "expected " + any_format() + ", {file, dataset}, auto (the fields of the HDF5 file)" +
                (path.ends_with("flat") ? " or none (line integrals)" : ""));
}

/// Describes a field as a section.
void describe_field(Keys& key, std::filesystem::path& file, std::string& dataset) {
  key.required("the file of the field")
      .value(
          "file", file, "a .npy, .npz or HDF5 file, or .tif files", "File of the field.",
          [](const ConfigNode& node, const std::string& path) {
            const std::filesystem::path name = file_of(node, path);
            if (!is_image_file(name)) fail_at(node, path, "expected " + any_format());
            return name;
          },
          Impl::file_node);
  key.when(file.empty() || holds_names(file), "an HDF5 file or an archive",
           "has no effect on a .npy or .tif file, which holds a single array")
      .text("dataset", dataset, "a path in an HDF5 file, or the name of an array in a .npz file",
            "Place of the field; auto: the one of the usual name, or the only one.");
}

/// A field with a dataset is written as a section.
ConfigNode field_node(const std::filesystem::path& file, const std::string& dataset) {
  if (file.empty()) return ConfigNode::text("auto");
  return dataset == "auto" ? Impl::file_node(file) : ConfigNode::map(true);
}

AxisOrder read_order(const ConfigNode& node, const std::string& path) {
  AxisOrder order;
  for (const std::string_view name : list_of(node, path, names_of<ScanAxis>()))
    order.push_back(*from_string<ScanAxis>(name));
  if (order.size() != node.items().size() || order.empty() || !complete_order(order, order.size()))
    fail_at(node, path,
            "expected views, rows and detectors, each once, or views and detectors for an array "
            "of two dimensions");
  return order;
}

void describe_sinogram(Keys& key, SinogramConfig& sinogram, ProblemSection& problem) {
  key.identity(Identity::run);
  key.required("a .npy, .npz or .tif file (views x detectors) or an HDF5 file (DXchange, NXtomo)")
      .file("file", sinogram.file, "a .npy, .npz or HDF5 file, or .tif files (scan_*.tif)",
            "Measured data, views x detectors, or a DXchange or NXtomo scan.");
  if (sinogram.is_archive()) {
    key.printed(!sinogram.array.empty())
        .text("dataset", sinogram.array, "the name of an array in the archive",
              "Array of the data; by default the only one.");
    key.refused("image_key", "belongs to HDF5 files");
  } else {
    const bool is_hdf5 = sinogram.file.empty() || sinogram.is_hdf5();
    const auto of_hdf5 = [&]() -> Keys& {
      return key
          .when(is_hdf5, "an HDF5 file",
                "has no effect on a .npy or .tif file, which holds a single array; it belongs to "
                "HDF5 files and .npz archives")
          .printed(sinogram.is_hdf5());
    };
    describe(of_hdf5, sinogram.hdf5);
  }
  key.printed(!sinogram.order.empty())
      .value(
          "order", sinogram.order, "a list of views, rows and detectors",
          "Axes of the array from the slowest to the fastest; by default [views, rows, detectors].",
          read_order, [](const AxisOrder& order) { return ConfigNode::texts(names_of(order)); });
  key.printed(!problem.slices)
      .integer("slice", sinogram.slice, 0, max_ordinal,
               "Detector row of a scan, or image of a stack, numbered from 0.");
  key.identity(Identity::run);
  key.section_or(
      "flat", "a .npy, .npz or HDF5 file, .tif files, {file, dataset}, auto or none",
      "Intensities with the open beam; auto: from the HDF5 file, none: the data are line integrals "
      "already.",
      [&](const ConfigNode& node, const std::string& path) {
        sinogram.is_line_integrals = node.is_scalar() && node.scalar() == "none";
        if (!sinogram.is_line_integrals) read_field(node, path, sinogram.flat);
      },
      [&] {
        return sinogram.is_line_integrals ? ConfigNode::text("none")
                                          : field_node(sinogram.flat, sinogram.flat_dataset);
      },
      [&](Keys& keys) { describe_field(keys, sinogram.flat, sinogram.flat_dataset); });
  key.identity(Identity::run);
  const auto with_flat = [&]() -> Keys& {
    return key.when(!sinogram.is_line_integrals, "a flat other than none",
                    "has no effect with flat: none, which declares the data to be line integrals");
  };
  with_flat().open_by_auto().section_or(
      "dark", "a .npy, .npz or HDF5 file, .tif files, {file, dataset} or auto",
      "Intensities without a beam.",
      [&](const ConfigNode& node, const std::string& path) {
        read_field(node, path, sinogram.dark);
      },
      [&] { return field_node(sinogram.dark, sinogram.dark_dataset); },
      [&](Keys& keys) { describe_field(keys, sinogram.dark, sinogram.dark_dataset); });
  with_flat().name("fields", sinogram.fields,
                   "Average of the frames of a field; the median ignores single bright values.");
  key.name(
      "negative", problem.negative,
      "Treatment of negative line integrals by mlem: error refuses them, clamp sets them to 0.");
  key.printed(sinogram.largest.has_value())
      .optional_number("largest", sinogram.largest, KeyRange::positive(),
                       "Largest line integral that was measured; larger values are missing, as NaN "
                       "is. By default no value is too large.");
}

// Reads `all`, a number, or [first, count].
SlicesConfig read_slices(const ConfigNode& node, const std::string& path) {
  SlicesConfig slices;
  if (node.is_scalar() && node.scalar() == "all") {
    slices.all = true;
  } else if (node.is_list() && node.items().size() == 2) {
    slices.first = static_cast<Ordinal>(integer_of(node.items()[0], path + "[0]", 0, max_ordinal));
    slices.count = static_cast<Ordinal>(integer_of(node.items()[1], path + "[1]", 1, max_ordinal));
  } else if (node.is_scalar() && as_number(node)) {
    slices.count = static_cast<Ordinal>(integer_of(node, path, 1, max_ordinal));
  } else {
    fail_at(node, path,
            "expected all, a number of slices, or [first, count]; found " + node.describe());
  }
  slices.position = node.position;
  return slices;
}

Ordinal read_slab(const ConfigNode& node, const std::string& path) {
  if (is_auto(node)) return 0;
  if (!node.is_scalar() || !as_number(node))
    fail_at(node, path, "expected auto or a number of slices, found " + node.describe());
  return static_cast<Ordinal>(integer_of(node, path, 1, max_ordinal));
}

ConfigNode slab_node(Ordinal slab) {
  return slab == 0 ? ConfigNode::text("auto") : ConfigNode::integer(slab);
}

ConfigNode slices_node(const ProblemSection& problem) {
  if (!problem.slices) return {};
  const SlicesConfig& slices = *problem.slices;
  if (slices.all) return ConfigNode::text("all");
  if (problem.phantom && slices.first == 0) return ConfigNode::integer(slices.count);
  return ConfigNode::integers(std::array{slices.first, slices.count});
}

bool is_npy_file(const std::filesystem::path& file) { return lower_extension(file) == ".npy"; }

void describe_masks(Keys& key, ProblemSection& problem) {
  const bool is_whole = problem.traits().is_circulant;
  const auto mask = [&](const char* name, bool is_printed, std::filesystem::path& file,
                        const char* help) {
    // A block-circulant matrix is usually used as a whole.
    key.identity(Identity::run);
    key.printed(!file.empty() || (is_printed && !is_whole))
        .file(name, file, "a .npy file", help, is_npy_file,
              "expected a .npy file of numbers, in which nonzero entries are kept");
  };
  mask("mask", problem.volume.size.has_value(), problem.mask,
       "Mask of the pixels to reconstruct: an image whose nonzero entries are kept.");
  mask("ray_mask", !problem.has_unknown_rows(), problem.ray_mask,
       "Mask of the rays to use: a sinogram whose nonzero entries are kept.");
}

/// Value of \p member, which is created if there is none.
template <class Value>
Value& value_of(std::optional<Value>& member) {
  return member ? *member : member.emplace();
}

void describe_data(Keys& key, ProblemSection& problem) {
  const bool is_solid = problem.as<ConeBeamRows>() != nullptr;
  const auto phantom = [&]() -> PhantomConfig& { return value_of(problem.phantom); };
  key.printed(problem.phantom.has_value())
      .section_or(
          "phantom", "the name of a phantom, a .npy file, or a section",
          "Image from which data are simulated.",
          [&](const ConfigNode& node, const std::string& path) {
            // A phantom's name contains no dot; a file name does.
            if (node.is_scalar() && node.scalar().find('.') != std::string::npos)
              phantom().file = read_phantom_file(node, path, is_solid);
            else
              read_phantom_name(node, path, is_solid, phantom());
          },
          [] { return ConfigNode::map(); },
          [&](Keys& keys) { describe_phantom(keys, phantom(), is_solid); });
  const auto sinogram = [&]() -> SinogramConfig& { return value_of(problem.sinogram); };
  key.when(
         problem.as<ScanConfig>() != nullptr, "a parallel or fan beam",
         is_solid
             ? "has no effect on a cone beam; give its data, an array (v, u, view), as problem.rhs"
             : "applies only to a parallel or fan beam; give other data as problem.rhs")
      .printed(problem.sinogram.has_value())
      .section_or(
          "sinogram", "a .npy, .npz, .tif or HDF5 file, or a section", "Measured data.",
          [&](const ConfigNode& node, const std::string& path) {
            sinogram().file = file_of(node, path);
          },
          [] { return ConfigNode::map(); },
          [&](Keys& keys) { describe_sinogram(keys, sinogram(), problem); });
}

void describe_right_hand_side(Keys& key, ProblemSection& problem) {
  key.identity(Identity::run);
  key.when(!problem.as<ScanConfig>(), "a matrix from a file, a scanner or a cone beam",
           "belongs to a matrix from a file (problem.matrix, block_row), a scanner or a cone beam; "
           "give measured data of a geometry as problem.sinogram")
      .printed(!problem.rhs.empty())
      .file("rhs", problem.rhs, "a .npy, .mtx or .mtx.gz file, or one of raw numbers",
            "Data, one number for each row of the matrix.");
  key.when(!problem.sinogram, "no problem.sinogram",
           "has no effect on problem.sinogram; give problem.sinogram.negative")
      .printed(problem.negative != NegativeData::error)
      .name("negative", problem.negative,
            "Treatment of negative data by mlem: error refuses them, clamp sets them to 0.");
  key.when(problem.rhs_is_raw(), "a raw file as rhs", "applies only to a raw file as problem.rhs")
      .name("rhs_type", problem.rhs_type, "Type of the numbers in a raw file.");
}

/// Describes the sources of the rows other than a geometry. At most one may be given.
void describe_sources(Keys& key, ProblemSection& problem) {
  auto* const row = std::get_if<BlockRowConfig>(&problem.geometry);
  auto* const pet = std::get_if<ScannerConfig>(&problem.geometry);
  const bool is_cone = problem.as<ConeBeamRows>() != nullptr;
  const std::string two =
      pet       ? "and problem.scanner both define the system matrix; give one"
      : is_cone ? "and geometry.type: cone_beam both define the system matrix; give one"
                : "and problem.block_row both define the system matrix; give one";
  const auto file = [&](const char* name, bool applies, const char* help) {
    key.identity(Identity::run);
    key.when(applies, name, two)
        .file(name, problem.matrix, "a matrix file", help, is_matrix_file,
              std::string("is not a known extension of a matrix file; allowed are ") +
                  matrix_file_extensions);
  };
  file("matrix", problem.as<MatrixFileConfig>() != nullptr, "File of the system matrix.");
  file("block_row", row != nullptr,
       "File of the first block row of a block-circulant system matrix.");
  if (row)
    key.printed(row->blocks > 0)
        .integer("blocks", row->blocks, 1, max_ordinal,
                 "Number of blocks side by side in block_row; a .npz file contains this number.");
  else
    key.refused("blocks", blocks_are_of_block_row);
  if (!pet) {
    key.refused("scanner", is_cone ? "and geometry.type: cone_beam both define the rays; give one"
                                   : "defines another system matrix; give one");
    return;
  }
  key.section_or(
      "scanner", "the name of a scanner, or a section", "PET scanner.",
      [pet](const ConfigNode& node, const std::string& path) {
        one_of(node, path, names_of<ScannerKind>());
        if (pet->kind == ScannerKind::ring)
          fail_at(node, path, "ring needs a section with its dimensions: {modules, crystals, ...}");
      },
      [] { return ConfigNode::map(); }, [pet](Keys& keys) { describe(keys, *pet); });
}

}  // namespace

void describe(Keys& key, NoiseConfig& noise) {
  key.name("type", noise.kind, "Noise added to the data of a phantom.");
  key.only("type", noise.kind, NoiseKind::poisson)
      .required("for example 1e5")
      .number("counts", noise.counts, KeyRange::positive(),
              "Number of events of the brightest ray, or of photons sent along every ray.");
  key.only("type", noise.kind, NoiseKind::poisson)
      .name("model", noise.model, "Emission counts events, transmission counts photons.");
  key.only("type", noise.kind, NoiseKind::gaussian)
      .required("the standard deviation")
      .number("sigma", noise.sigma, KeyRange::not_negative(),
              "Standard deviation of the noise, or its norm relative to that of the data.");
  key.only("type", noise.kind, NoiseKind::gaussian)
      .name("scale", noise.scale, "Meaning of sigma: absolute, or relative to the data.");
}

void describe_tomography(Keys& key, ProblemSection& problem) {
  auto* const scan = std::get_if<ScanConfig>(&problem.geometry);
  key.section(
      "volume", [&](Keys& keys) { describe_volume(keys, problem); },
      "Image or volume to reconstruct.");
  key.when(!problem.as<ScannerConfig>(), "any matrix except that of a scanner",
           why_no_projector(problem))
      .section("geometry", problem.geometry, "Arrangement of the rays.");
  describe_sources(key, problem);
  if (scan)
    key.name("projector", scan->projector, "Model for the weight of a pixel in a ray.");
  else
    key.refused("projector", why_no_projector(problem));
  describe_data(key, problem);
  key.printed(problem.slices || (problem.rhs.empty() && !problem.volume.slices))
      .value(
          "slices", problem.slices, "all, a number, or [first, count]",
          "Stack of slices: the selected slices of measured data or of problem.rhs, or the number "
          "of "
          "copies of a phantom.",
          read_slices,
          [&problem](const std::optional<SlicesConfig>&) { return slices_node(problem); });
  const bool has_measured_slices = problem.sinogram && problem.slices;
  key.identity(Identity::run);
  key.when(has_measured_slices, "a stack of measured slices",
           "divides measured slices (problem.sinogram with problem.slices), which this run does "
           "not have")
      .printed(has_measured_slices)
      .value("slab", problem.slab, "auto or a number of slices",
             "Number of measured slices that are read, solved and written together while those "
             "before and after them are written and read; auto: a small stack at once, otherwise "
             "as many as fit in memory, up to 32.",
             read_slab, slab_node);
  describe_masks(key, problem);
  describe_right_hand_side(key, problem);
  key.printed(problem.phantom.has_value())
      .name("data", problem.data,
            "Projection of the phantom: by the matrix, or by the exact formula for its ellipses.");
  key.printed(problem.phantom.has_value())
      .section("noise", problem.noise, "Noise added to the data of a phantom.");
}

}  // namespace Tomokkos
