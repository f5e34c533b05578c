// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes the section `problem` of a tomography.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ProblemKeys.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <utility>

namespace Tomokkos {
namespace {

ConfigNode angle_node(const ConfigAngle& angle) { return ConfigNode::plain(angle.text); }

void describe_angle(Keys& key, const char* name, ConfigAngle& angle, const char* help) {
  key.value(
      name, "an angle: radians, or a number with a unit (180 deg, 3.1 rad, 0.5 turn)", help,
      [&angle, name](const ConfigReader& reader) {
        angle = read_angle(*reader.find(name), reader.path_of(name));
      },
      [&angle] { return angle_node(angle); });
}

/// Reads two or three whole numbers from 1. Their count is checked against the geometry later. If
/// two are given where three are needed, their values are not read.
std::vector<Ordinal> read_lengths(const ConfigReader& reader, const std::string& expected,
                                  bool must_be_three) {
  const ConfigNode& size = *reader.find("size");
  const std::string path = reader.path_of("size");
  if (!size.is_list() || size.items().size() < 2 || size.items().size() > 3)
    fail_at(size, path, "expected " + expected + ", found " + size.describe());
  if (must_be_three && size.items().size() == 2) return {1, 1};
  std::vector<Ordinal> lengths;
  for (std::size_t i = 0; i < size.items().size(); ++i)
    lengths.push_back(static_cast<Ordinal>(
        integer_of(size.items()[i], path + "[" + std::to_string(i) + "]", 1, max_ordinal)));
  return lengths;
}

void set_lengths(const std::vector<Ordinal>& lengths, VolumeConfig& volume) {
  volume.slices.reset();
  if (lengths.size() == 3) volume.slices = lengths[0];
  volume.size = {lengths[lengths.size() - 2], lengths.back()};
}

void describe(Keys& key, PolarVolume& polar) {
  constexpr long long most = max_ordinal;
  key.required("the number of rings, of equal width, around the axis")
      .integer("rings", polar.rings, 1, most, "Number of rings of voxels around the axis.");
  key.required("the radius of the cylinder")
      .number("radius", polar.radius, KeyRange::positive(), "Radius of the cylinder.");
  key.required("the number of slices along the axis")
      .integer("slices", polar.slices, 1, most, "Number of slices of voxels along the axis.");
  key.required("the height of the cylinder along the axis")
      .number("height", polar.height, KeyRange::positive(), "Height of the cylinder.");
  key.number("aspect", polar.aspect, KeyRange::positive(),
             "Ratio of the width of a voxel along its ring to the width of the ring.");
}

void describe_volume(Keys& key, ProblemSection& problem) {
  VolumeConfig& volume = problem.volume;
  auto* const cone = std::get_if<ConeBeamRows>(&problem.geometry);
  const bool is_pet = problem.as<ScannerConfig>() != nullptr;
  const bool is_read = problem.traits().is_read;
  if (cone)
    key.required("the {rings, radius, slices, height} of a cylinder in polar voxels")
        .section(
            "polar", [cone](Keys& keys) { describe(keys, cone->volume); },
            "Cylinder of polar voxels to reconstruct.");
  const std::string form = is_pet            ? "[slices, rows, columns]"
                           : cone || is_read ? "[rows, columns] or [slices, rows, columns]"
                                             : "[rows, columns]";
  if (!volume.size && problem.as<ScanConfig>())
    key.required("[rows, columns] of the image, for example [256, 256]");
  key.printed(volume.size.has_value())
      .value(
          "size", form,
          cone ? "Size of the pictures around the cylinder in pixels."
               : "Size of the image in pixels, or of the volume in voxels.",
          [=, &volume](const ConfigReader& reader) {
            set_lengths(read_lengths(reader, form, is_pet), volume);
          },
          [&volume] {
            return volume.size ? ConfigNode::integers(volume.lengths()) : ConfigNode();
          });
  const std::string follows =
      "has no effect on a cone beam: it follows from volume.polar, since pictures show the whole "
      "cylinder";
  key.when(!is_read && !cone, "a geometry of pixels",
           cone ? follows : "has no effect on a matrix from a file (problem.matrix)")
      .number("pixel", volume.pixel, KeyRange::positive(), "Side of a pixel.");
  if (is_pet || cone)
    key.when(is_pet, "problem.scanner", follows)
        .number("thickness", volume.thickness, KeyRange::positive(), "Thickness of a slice.");
}

// Parallel and fan beams.

/// Reads the name of a `.npy` file, or `auto` for the angles in the HDF5 file of the data.
void read_angles_file(const ConfigReader& reader, std::string_view key, ScanConfig& scan) {
  const ConfigNode& node = *reader.find(key);
  if (node.is_scalar() && node.scalar() == "auto")
    scan.angles_from_data = true;
  else if (node.is_scalar() && node.scalar().ends_with(".npy"))
    scan.angles_file = reader.file(key);
  else
    reader.fail(key, "expected a .npy file or auto, found " + node.describe());
}

ConfigNode angles_file_node(const ScanConfig& scan) {
  return scan.angles_from_data ? ConfigNode::text("auto") : Impl::file_node(scan.angles_file);
}

void read_angles(const ConfigReader& reader, ScanConfig& scan) {
  const ConfigNode& angles = *reader.find("angles");
  const std::string path = reader.path_of("angles");
  if (angles.is_scalar() && (angles.scalar() == "auto" || angles.scalar().ends_with(".npy"))) {
    read_angles_file(reader, "angles", scan);
  } else if (angles.is_list() && !angles.items().empty()) {
    for (std::size_t i = 0; i < angles.items().size(); ++i)
      scan.angles.push_back(read_angle(angles.items()[i], path + "[" + std::to_string(i) + "]"));
  } else {
    fail_at(angles, path,
            "expected a list of angles, a .npy file, {file: FILE.npy, unit: deg} or auto, found " +
                angles.describe());
  }
}

ConfigNode angles_node(const ScanConfig& scan) {
  if (scan.angles_unit) return ConfigNode::map(true);
  if (scan.angles_from_data || !scan.angles_file.empty()) return angles_file_node(scan);
  if (scan.angles.empty()) return {};
  ConfigNode list = ConfigNode::list();
  for (const ConfigAngle& angle : scan.angles) list.push_back(angle_node(angle));
  return list;
}

void describe_angles_section(Keys& key, ScanConfig& scan) {
  key.value(
      "file", "a .npy file or auto", "Angles of the views; auto: from the HDF5 file of the data.",
      [&](const ConfigReader& reader) { read_angles_file(reader, "file", scan); },
      [&] { return angles_file_node(scan); });
  key.required("deg or rad").optional_name("unit", scan.angles_unit, "", "Unit of the angles.");
}

void describe_angles(Keys& key, ScanConfig& scan) {
  key.section_or(
      "angles", "a list of angles, a .npy file, auto, or {file, unit}",
      "Angles of all views, instead of views, start and range; auto: from the HDF5 file.",
      [&](const ConfigReader& reader) { read_angles(reader, scan); },
      [&] { return angles_node(scan); }, [&](Keys& keys) { describe_angles_section(keys, scan); },
      true);
  const bool is_listed = scan.has_listed_angles() || scan.angles_unit;
  const auto counted = [&]() -> Keys& {
    return key.when(!is_listed, "no angles",
                    "and geometry.angles both set the angles; give one of the two");
  };
  counted().count_or_auto("views", scan.views, "Number of views; auto: as in the data.");
  describe_angle(counted(), "start", scan.start, "Angle of the first view.");
  describe_angle(counted(), "range", scan.range,
                 "Angle that the views divide evenly; its end is not a view.");
}

void describe_center(Keys& key, ScanConfig& scan) {
  key.value(
      "rotation_center", "the index of a detector element, or auto",
      "Index, from 0, of the detector element onto which the rotation axis projects; auto: "
      "determined from the data.",
      [&](const ConfigReader& reader) {
        scan.find_rotation_center = is_auto(reader, "rotation_center");
        if (!scan.find_rotation_center)
          scan.rotation_center = reader.optional_number("rotation_center");
      },
      [&] {
        return scan.find_rotation_center ? ConfigNode::text("auto")
                                         : Impl::number_or_null(scan.rotation_center);
      });
  key.when(!scan.find_rotation_center && !scan.rotation_center, "no rotation_center",
           "and rotation_center both set the centre; give one of the two")
      .value(
          "detector_offset", "a number", "Shift of the detector in elements.",
          [&](const ConfigReader& reader) {
            scan.detector_offset = reader.optional_number("detector_offset");
          },
          [&] { return ConfigNode::number(scan.detector_offset.value_or(0)); });
}

void describe_geometry(Keys& key, ScanConfig& scan) {
  key.value(
      "type", "parallel_beam, fan_beam or cone_beam", "Shape of the beam; by default parallel.",
      [](const ConfigReader& reader) {
        reader.one_of("type", "", {"parallel_beam", "fan_beam", "cone_beam"});
      },
      [&] { return Impl::name_of(scan.beam); });
  describe_angles(key, scan);
  key.count_or_auto(
      "detectors", scan.detectors,
      "Number of detector elements; auto: as in the data, or enough to cover the image.");
  key.number("detector_width", scan.detector_width, KeyRange::positive(),
             "Width of a detector element.");
  describe_center(key, scan);
  const bool is_fan = scan.beam == Beam::fan;
  const auto fan = [&](const char* hint) -> Keys& {
    return key
        .when(is_fan, "type: fan_beam",
              "has no effect on a parallel beam; for a fan beam give type: fan_beam")
        .required(hint);
  };
  fan("the distance of the source from the axis of rotation")
      .number("source_to_origin", scan.source_to_origin, KeyRange::positive(),
              "Distance of the source from the axis of rotation.");
  fan("the distance of the detector from the axis of rotation; 0: at the axis")
      .number("origin_to_detector", scan.origin_to_detector, KeyRange::not_negative(),
              "Distance of the detector from the axis of rotation.");
}

/// The matrix defines the rays; only the shape of its data can be given.
void describe_geometry(Keys& key, MatrixFileConfig& file) {
  const auto none = [&](const char* name) {
    key.when(false, "no matrix from a file",
             "has no effect on a matrix from a file; only views and detectors do, as the shape of "
             "its data")
        .value(name, "", "", {}, {});
  };
  none("type");
  for (const auto& [name, count, help] :
       {std::tuple{"views", &file.views, "Number of views of the rows of the matrix."},
        std::tuple{"detectors", &file.detectors, "Number of rows of the matrix in each view."}})
    key.printed(count->has_value()).count_or_auto(name, *count, help);
  for (const char* name : {"start", "range", "angles", "detector_width", "detector_offset",
                           "rotation_center", "source_to_origin", "origin_to_detector"})
    none(name);
}

void describe_geometry(Keys&, ScannerConfig&) {}

void describe_geometry(Keys& key, ConeBeamRows& cone) {
  constexpr const char* axes = "[along u, along v]";
  ConeBeamScan& scan = cone.scan;
  const auto none = [&](const char* name, const std::string& why) {
    key.when(false, "no cone beam", why).value(name, "", "", {}, {});
  };
  key.value(
      "type", "parallel_beam, fan_beam or cone_beam", "Shape of the beam; by default parallel.",
      [](const ConfigReader&) {}, [] { return ConfigNode::text("cone_beam"); });
  for (const char* name : {"start", "range", "angles"})
    none(name, "has no effect on a cone beam, whose views divide a full turn evenly");
  none("rotation_center",
       "has no effect on a cone beam; give detector_offset: " + std::string(axes));
  key.required("the number of views in a full turn")
      .integer("views", scan.views, 1, max_ordinal,
               "Number of views, which divide a full turn evenly.");
  key.required("the number of detector elements, [along u, along v]")
      .pair("detectors", scan.detectors, axes, "Number of detector elements.");
  key.pair("detector_width", scan.detector_width, KeyRange::positive(), axes,
           "Width of a detector element.");
  key.pair("detector_offset", scan.detector_offset, {}, axes, "Shift of the detector in elements.");
  key.integer("rays", scan.rays, 1, max_cone_beam_rays,
              "Number of rays along each side of a detector element.");
  key.required("the distance of the source from the axis of rotation")
      .number("source_to_origin", scan.source_to_origin, KeyRange::positive(),
              "Distance of the source from the axis of rotation.");
  key.required("the distance of the detector from the axis of rotation; 0: at the axis")
      .number("origin_to_detector", scan.origin_to_detector, KeyRange::not_negative(),
              "Distance of the detector from the axis of rotation.");
}

// Scanners.

void read_layers(const ConfigReader& reader, std::vector<CrystalLayer>& layers) {
  const ConfigNode& node = *reader.find("layers");
  const std::string path = reader.path_of("layers");
  if (!node.is_list() || node.items().empty())
    fail_at(node, path, "expected a list of {radius, length}, found " + node.describe());
  layers.clear();
  for (std::size_t k = 0; k < node.items().size(); ++k) {
    const ConfigReader layer(node.items()[k], path + "[" + std::to_string(k) + "]",
                             {"radius", "length"});
    layer.require_key("radius", "the distance from the axis to the entrance faces of the crystals");
    layer.require_key("length", "the length of the crystals in the radial direction");
    layers.push_back({layer.number("radius", 0.0, KeyRange::positive()),
                      layer.number("length", 0.0, KeyRange::positive())});
  }
}

ConfigNode layers_node(const std::vector<CrystalLayer>& layers) {
  ConfigNode list = ConfigNode::list();
  for (const CrystalLayer& layer : layers) {
    ConfigNode entry = ConfigNode::map(true);
    entry.set("radius", ConfigNode::number(layer.radius));
    entry.set("length", ConfigNode::number(layer.length));
    list.push_back(std::move(entry));
  }
  return list;
}

void describe_scanner(Keys& key, ScannerConfig& config) {
  constexpr const char* axes = "[around the axis, along it]";
  RingScanner& scanner = config.scanner;
  const bool is_ring = config.kind == ScannerKind::ring;
  // A named scanner has defaults for these keys.
  const auto needed = [&](const char* hint) -> Keys& { return is_ring ? key.required(hint) : key; };
  key.name("kind", config.kind,
           "Name of a scanner, or ring for a scanner described by the other keys.");
  needed("the number of modules around the axis")
      .integer("modules", scanner.modules, 1, max_ordinal, "Number of modules around the axis.");
  key.value(
      "first_module", "an angle", "Angle of the first module.",
      [&](const ConfigReader& reader) {
        config.first_module =
            read_angle(*reader.find("first_module"), reader.path_of("first_module"));
        scanner.first_module = config.first_module.angle;
      },
      [&] { return angle_node(config.first_module); });
  key.integer("rings", scanner.rings, 1, max_ordinal, "Number of rings of modules along the axis.");
  key.when(scanner.rings > 1, "several rings", "has no effect on a single ring")
      .number("ring_pitch", scanner.ring_pitch, KeyRange::not_negative(),
              "Distance between the centres of neighbouring rings.");
  needed("the number of crystals in a layer of a module, [around the axis, along it]")
      .pair("crystals", scanner.crystals, axes, "Number of crystals in a layer of a module.");
  needed("the distance between the centres of crystals")
      .pair("crystal_pitch", scanner.crystal_pitch, KeyRange::positive(), axes,
            "Distance between the centres of crystals.");
  needed("the size of a crystal, [around the axis, along it]")
      .pair("crystal_size", scanner.crystal_size, KeyRange::positive(), axes,
            "Size of the entrance face of a crystal.");
  needed("a list of {radius, length}")
      .value(
          "layers", "a list of {radius, length}",
          "Layers of crystals: radius is the distance of their entrance faces from the axis, "
          "length their radial length.",
          [&](const ConfigReader& reader) { read_layers(reader, scanner.layers); },
          [&] { return layers_node(scanner.layers); });
  key.integer("rays", scanner.rays, 1, max_ordinal,
              "Number of rays for each pair of crystals: 1, or a multiple of 8.");
  key.printed(scanner.field_of_view.has_value())
      .optional_number("field_of_view", scanner.field_of_view, KeyRange::positive(),
                       "Radius around the axis beyond which rays are ignored.");
}

// The data.

void read_phantom_file(const ConfigReader& reader, std::string_view key, bool is_solid,
                       PhantomConfig& phantom) {
  phantom.file = reader.file(key);
  if (phantom.file.extension() != ".npy")
    reader.fail(key, phantom.file.string() +
                         ": expected a .npy file of rows x columns, or of slices x rows x columns");
  if (is_solid)
    reader.fail(key,
                "a cone beam needs a phantom by name, which is sampled in polar voxels; an image "
                "of pixels is available only for other geometries");
}

std::vector<std::string_view> phantom_names(bool is_solid) {
  if (!is_solid) return Keys::names_of<PhantomKind>();
  std::vector<std::string_view> names = Keys::names_of<SolidPhantomKind>();
  for (const auto& [kind, name] : EnumNames<PhantomKind>::names)
    if (is_made_of_ellipses(kind) && !from_string<SolidPhantomKind>(name)) names.push_back(name);
  return names;
}

void read_phantom_name(const ConfigReader& reader, std::string_view key, bool is_solid,
                       PhantomConfig& phantom) {
  const std::string name = reader.one_of(key, "", phantom_names(is_solid));
  if (is_solid) phantom.solid = from_string<SolidPhantomKind>(name);
  if (!phantom.solid) phantom.kind = *from_string<PhantomKind>(name);
}

void describe_phantom(Keys& key, PhantomConfig& phantom, bool is_solid) {
  key.printed(!phantom.file.empty())
      .value(
          "file", "a .npy file", "Image or stack of images, instead of a named phantom.",
          [=, &phantom](const ConfigReader& reader) {
            read_phantom_file(reader, "file", is_solid, phantom);
          },
          [&phantom] { return Impl::file_node(phantom.file); });
  const auto named = [&]() -> Keys& {
    return key.when(phantom.file.empty(), "no file",
                    "has no effect on an image from a file (problem.phantom.file)");
  };
  named()
      .required("for example shepp_logan")
      .value(
          "kind", join_names(phantom_names(is_solid)), "Name of the phantom.",
          [=, &phantom](const ConfigReader& reader) {
            read_phantom_name(reader, "kind", is_solid, phantom);
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

/// Reads a file name. The word `auto`, for the fields of the HDF5 file, leaves it empty.
void read_field(const ConfigReader& reader, const char* key, std::filesystem::path& file) {
  if (is_auto(reader, key)) return;
  file = reader.file(key);
  if (file.extension() != ".npy" && !is_tiff_file(file))
    reader.fail(key,
                std::string("expected a .npy or .tif file, auto (the fields of the HDF5 file)") +
                    (key == std::string("flat") ? " or none (line integrals)" : ""));
}

ConfigNode field_node(const std::filesystem::path& file) {
  return file.empty() ? ConfigNode::text("auto") : Impl::file_node(file);
}

void describe_sinogram(Keys& key, SinogramConfig& sinogram, bool is_stack) {
  key.required("a .npy, .npz or .tif file (views x detectors) or an HDF5 file (DXchange)")
      .file("file", sinogram.file, "a .npy, .npz or HDF5 file, or .tif files (scan_*.tif)",
            "Measured data, views x detectors, or a DXchange scan.");
  if (sinogram.is_archive()) {
    key.printed(!sinogram.array.empty())
        .text("dataset", sinogram.array, "the name of an array in the archive",
              "Array of the data; by default the only one.");
  } else {
    const bool is_hdf5 = sinogram.file.empty() || sinogram.is_hdf5();
    describe(key.when(is_hdf5, "an HDF5 file",
                      "has no effect on a .npy or .tif file, which holds a single array; it "
                      "belongs to HDF5 files and .npz archives")
                 .printed(sinogram.is_hdf5()),
             sinogram.hdf5);
  }
  key.printed(!is_stack).integer("slice", sinogram.slice, 0, max_ordinal,
                                 "Detector row of a scan, or image of a stack, numbered from 0.");
  key.value(
      "flat", "a .npy file, .tif files, auto or none",
      "Intensities with the open beam; auto: from the HDF5 file, none: the data are line integrals "
      "already.",
      [&](const ConfigReader& reader) {
        const ConfigNode& node = *reader.find("flat");
        sinogram.is_line_integrals = node.is_scalar() && node.scalar() == "none";
        if (!sinogram.is_line_integrals) read_field(reader, "flat", sinogram.flat);
      },
      [&] {
        return sinogram.is_line_integrals ? ConfigNode::text("none") : field_node(sinogram.flat);
      });
  key.when(!sinogram.is_line_integrals, "a flat other than none",
           "has no effect with flat: none, which declares the data to be line integrals")
      .open_by_auto()
      .value(
          "dark", "a .npy file, .tif files or auto", "Intensities without a beam.",
          [&](const ConfigReader& reader) { read_field(reader, "dark", sinogram.dark); },
          [&] { return field_node(sinogram.dark); });
  key.name(
      "negative", sinogram.negative,
      "Treatment of negative line integrals by mlem: error refuses them, clamp sets them to 0.");
}

// Reads `all`, a number, or [first, count].
void read_slices(const ConfigReader& reader, ProblemSection& problem) {
  const ConfigNode& node = *reader.find("slices");
  const std::string path = reader.path_of("slices");
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
  problem.slices = slices;
}

ConfigNode slices_node(const ProblemSection& problem) {
  if (!problem.slices) return {};
  const SlicesConfig& slices = *problem.slices;
  if (slices.all) return ConfigNode::text("all");
  if (problem.phantom && slices.first == 0) return ConfigNode::integer(slices.count);
  return ConfigNode::integers(std::array{slices.first, slices.count});
}

void describe_masks(Keys& key, ProblemSection& problem) {
  const bool is_whole = problem.traits().is_circulant;
  const auto mask = [&](const char* name, bool is_printed, std::filesystem::path& file,
                        const char* help) {
    key.printed(is_printed && !is_whole)
        .value(
            name, "a .npy file", help,
            [&file, name](const ConfigReader& reader) {
              file = reader.file(name);
              if (file.extension() != ".npy")
                reader.fail(
                    name,
                    file.string() +
                        ": expected a .npy file of numbers, in which nonzero entries are kept");
            },
            [&file] { return file.empty() ? ConfigNode() : Impl::file_node(file); });
  };
  mask("mask", problem.volume.size.has_value(), problem.mask,
       "Mask of the pixels to reconstruct: an image whose nonzero entries are kept.");
  mask("ray_mask", !problem.has_unknown_rows(), problem.ray_mask,
       "Mask of the rays to use: a sinogram whose nonzero entries are kept.");
}

void describe_data(Keys& key, ProblemSection& problem) {
  const bool is_solid = problem.as<ConeBeamRows>() != nullptr;
  const auto phantom = [&]() -> PhantomConfig& {
    if (!problem.phantom) problem.phantom.emplace();
    return *problem.phantom;
  };
  key.printed(problem.phantom.has_value())
      .section_or(
          "phantom", "the name of a phantom, a .npy file, or a section",
          "Image from which data are simulated.",
          [&](const ConfigReader& reader) {
            const ConfigNode& node = *reader.find("phantom");
            // A phantom's name contains no dot; a file name does.
            if (node.is_scalar() && node.scalar().find('.') != std::string::npos)
              read_phantom_file(reader, "phantom", is_solid, phantom());
            else
              read_phantom_name(reader, "phantom", is_solid, phantom());
          },
          [] { return ConfigNode::map(); },
          [&](Keys& keys) { describe_phantom(keys, phantom(), is_solid); });
  const auto sinogram = [&]() -> SinogramConfig& {
    if (!problem.sinogram) problem.sinogram.emplace();
    return *problem.sinogram;
  };
  const bool is_cone = problem.as<ConeBeamRows>() != nullptr;
  key.when(
         problem.as<ScanConfig>() != nullptr, "a parallel or fan beam",
         is_cone
             ? "has no effect on a cone beam; give its data, an array (v, u, view), as problem.rhs"
             : "applies only to a parallel or fan beam; give other data as problem.rhs")
      .printed(problem.sinogram.has_value())
      .section_or(
          "sinogram", "a .npy, .npz, .tif or HDF5 file, or a section", "Measured data.",
          [&](const ConfigReader& reader) { sinogram().file = reader.file("sinogram"); },
          [] { return ConfigNode::map(); },
          [&](Keys& keys) { describe_sinogram(keys, sinogram(), problem.slices.has_value()); });
}

void describe_right_hand_side(Keys& key, ProblemSection& problem) {
  key.when(!problem.as<ScanConfig>(), "a matrix from a file, a scanner or a cone beam",
           "belongs to a matrix from a file (problem.matrix, block_row), a scanner or a cone beam; "
           "give measured data of a geometry as problem.sinogram")
      .printed(!problem.rhs.empty())
      .file("rhs", problem.rhs, "a .npy, .mtx or .mtx.gz file, or one of raw numbers",
            "Data, one number for each row of the matrix.");
  key.when(problem.rhs_is_raw(), "a raw file as rhs", "applies only to a raw file as problem.rhs")
      .name("rhs_type", problem.rhs_type, "Type of the numbers in a raw file.");
}

void read_matrix_file(const ConfigReader& reader, const char* key, std::filesystem::path& file) {
  file = reader.file(key);
  if (!is_matrix_file(file))
    reader.fail(key, file.string() + ": is not a known extension of a matrix file; allowed are " +
                         matrix_file_extensions);
}

/// Describes the sources of the rows other than a geometry. At most one may be given.
void describe_sources(Keys& key, ProblemSection& problem) {
  auto* const row = std::get_if<BlockRowConfig>(&problem.geometry);
  auto* const pet = std::get_if<ScannerConfig>(&problem.geometry);
  const bool is_file = problem.as<MatrixFileConfig>() != nullptr;
  const bool is_cone = problem.as<ConeBeamRows>() != nullptr;
  const std::string two =
      pet       ? "and problem.scanner both define the system matrix; give one"
      : is_cone ? "and geometry.type: cone_beam both define the system matrix; give one"
                : "and problem.block_row both define the system matrix; give one";
  const auto file = [&](const char* name, bool applies, const char* help) {
    key.when(applies, name, two)
        .value(
            name, "a matrix file", help,
            [&problem, name](const ConfigReader& reader) {
              read_matrix_file(reader, name, problem.matrix);
            },
            [&problem] { return Impl::file_node(problem.matrix); });
  };
  file("matrix", is_file, "File of the system matrix.");
  file("block_row", row != nullptr,
       "File of the first block row of a block-circulant system matrix.");
  Ordinal none = 0;
  key.when(row != nullptr, "block_row", blocks_are_of_block_row)
      .printed(row && row->blocks > 0)
      .integer("blocks", row ? row->blocks : none, 1, max_ordinal,
               "Number of blocks side by side in block_row; a .npz file contains this number.");
  ScannerConfig other;
  ScannerConfig& scanner = pet ? *pet : other;
  key.when(pet != nullptr, "scanner",
           is_cone ? "and geometry.type: cone_beam both define the rays; give one"
                   : "defines another system matrix; give one")
      .section_or(
          "scanner", "the name of a scanner, or a section", "PET scanner.",
          [&](const ConfigReader& reader) {
            reader.choice("scanner", scanner.kind);
            if (scanner.kind == ScannerKind::ring)
              reader.fail("scanner",
                          "ring needs a section with its dimensions: {modules, crystals, ...}");
          },
          [] { return ConfigNode::map(); }, [&](Keys& keys) { describe_scanner(keys, scanner); });
}

std::string why_no_projector(const ProblemSection& problem) {
  if (problem.as<ScannerConfig>())
    return "has no effect on a PET scanner (problem.scanner), whose rays connect its crystals";
  if (problem.as<ConeBeamRows>())
    return "has no effect on a cone beam: an entry is the mean length of the geometry.rays in a "
           "voxel";
  return std::string("has no effect on a matrix from a file (problem.") +
         (problem.traits().is_circulant ? "block_row)" : "matrix)");
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
      .section(
          "geometry",
          [&](Keys& keys) {
            std::visit([&](auto& geometry) { describe_geometry(keys, geometry); },
                       problem.geometry);
          },
          "Arrangement of the rays.");
  describe_sources(key, problem);
  Projector none{};
  key.when(scan != nullptr, "a parallel or fan beam", why_no_projector(problem))
      .name("projector", scan ? scan->projector : none,
            "Model for the weight of a pixel in a ray.");
  describe_data(key, problem);
  key.printed(problem.slices || (problem.rhs.empty() && !problem.volume.slices))
      .value(
          "slices", "all, a number, or [first, count]",
          "Stack of slices: the selected slices of measured data, or the number of copies of a "
          "phantom.",
          [&](const ConfigReader& reader) { read_slices(reader, problem); },
          [&] { return slices_node(problem); });
  describe_masks(key, problem);
  describe_right_hand_side(key, problem);
  key.printed(problem.phantom.has_value())
      .name("data", problem.data,
            "Projection of the phantom: by the matrix, or by the exact formula for its ellipses.");
  key.printed(problem.phantom.has_value())
      .section("noise", problem.noise, "Noise added to the data of a phantom.");
}

std::vector<std::string_view> geometry_keys(const ProblemSection& problem) {
  GeometryConfig geometry = problem.geometry;
  Impl::NameKeys keys;
  std::visit([&](auto& kind) { describe_geometry(keys, kind); }, geometry);
  return keys.names;
}

ScanConfig default_scan(Beam beam) {
  ScanConfig scan;
  scan.beam = beam;
  const char* const range = beam == Beam::fan ? "360 deg" : "180 deg";
  scan.range = {range, Angle::parse(range)};
  return scan;
}

GeometryConfig default_geometry(const ConfigReader& problem) {
  // Returns the text of \p key in \p section, or of \p section itself if it is given as a name.
  const auto text_at = [&](const char* section, const char* key) -> std::string {
    const ConfigNode* node = problem.find(section);
    if (node && node->is_map()) node = node->find(key);
    return node && node->is_scalar() ? node->scalar() : "";
  };
  if (problem.has("scanner")) {
    ScannerConfig scanner;
    scanner.kind = from_string<ScannerKind>(text_at("scanner", "kind")).value_or(scanner.kind);
    scanner.scanner = make_scanner(scanner.kind);
    return scanner;
  }
  const std::string type = text_at("geometry", "type");
  if (type == "cone_beam") {
    ConeBeamRows cone;
    cone.scan.detector_width = {1, 1};
    return cone;
  }
  if (problem.has("block_row")) return BlockRowConfig{};
  if (problem.has("matrix")) return MatrixFileConfig{};
  return default_scan(from_string<Beam>(type).value_or(Beam::parallel));
}

}  // namespace Tomokkos
