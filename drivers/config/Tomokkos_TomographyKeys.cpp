// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section `problem` of a tomography.
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

/// Two or three whole numbers from 1. How many suit the geometry is checked with the other keys; of
/// two where there must be three nothing is read.
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
  key.required("of equal width around the axis")
      .integer("rings", polar.rings, 1, most, "Rings of voxels around the axis.");
  key.required("of the cylinder")
      .number("radius", polar.radius, KeyRange::positive(), "Radius of the cylinder.");
  key.required("along the axis")
      .integer("slices", polar.slices, 1, most, "Slices of voxels along the axis.");
  key.required("of the cylinder, along the axis")
      .number("height", polar.height, KeyRange::positive(), "Height of the cylinder.");
  key.number("aspect", polar.aspect, KeyRange::positive(),
             "Width of a voxel along its ring over the width of the ring.");
}

void describe_volume(Keys& key, ProblemSection& problem) {
  VolumeConfig& volume = problem.volume;
  auto* const cone = std::get_if<ConeBeamRows>(&problem.geometry);
  const bool is_pet = problem.as<ScannerConfig>() != nullptr;
  const bool is_read = problem.traits().is_read;
  if (cone)
    key.required("{rings, radius, slices, height} of a cylinder in polar voxels")
        .section(
            "polar", [cone](Keys& keys) { describe(keys, cone->volume); },
            "The cylinder that is reconstructed, in polar voxels.");
  const std::string form = is_pet            ? "[slices, rows, columns]"
                           : cone || is_read ? "[rows, columns] or [slices, rows, columns]"
                                             : "[rows, columns]";
  if (!volume.size && problem.as<ScanConfig>())
    key.required("[rows, columns] of the image, for example [256, 256]");
  key.printed(volume.size.has_value())
      .value(
          "size", form,
          cone ? "Pixels of the pictures around the cylinder." : "Pixels of the image or voxels.",
          [=, &volume](const ConfigReader& reader) {
            set_lengths(read_lengths(reader, form, is_pet), volume);
          },
          [&volume] {
            return volume.size ? ConfigNode::integers(volume.lengths()) : ConfigNode();
          });
  const std::string follows = "follows from volume.polar: pictures show the whole cylinder";
  key.when(!is_read && !cone, "a geometry of pixels",
           cone ? follows : "has no effect on a matrix from a file (problem.matrix)")
      .number("pixel", volume.pixel, KeyRange::positive(), "Side of a pixel.");
  if (is_pet || cone)
    key.when(is_pet, "problem.scanner", follows)
        .number("thickness", volume.thickness, KeyRange::positive(), "Thickness of a slice.");
}

// Of a parallel or fan beam.

/// A `.npy` file, or `auto`: the angles of the HDF5 file of the data.
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
      "file", "a .npy file or auto", "The angles of the views; auto: of the HDF5 file of the data.",
      [&](const ConfigReader& reader) { read_angles_file(reader, "file", scan); },
      [&] { return angles_file_node(scan); });
  key.required("deg or rad").optional_name("unit", scan.angles_unit, "", "Unit of the angles.");
}

void describe_angles(Keys& key, ScanConfig& scan) {
  key.section_or(
      "angles", "a list of angles, a .npy file, auto, or {file, unit}",
      "The angles of all views, instead of views, start and range; auto: of the HDF5 file.",
      [&](const ConfigReader& reader) { read_angles(reader, scan); },
      [&] { return angles_node(scan); }, [&](Keys& keys) { describe_angles_section(keys, scan); },
      true);
  const bool is_listed = scan.has_listed_angles() || scan.angles_unit;
  const auto counted = [&]() -> Keys& {
    return key.when(!is_listed, "no angles",
                    "angles are listed already (geometry.angles); give one of the two");
  };
  counted().count_or_auto("views", scan.views, "Views; auto: as many as the data have.");
  describe_angle(counted(), "start", scan.start, "Angle of the first view.");
  describe_angle(counted(), "range", scan.range,
                 "Angle that the views divide evenly; its end has no view.");
}

void describe_center(Keys& key, ScanConfig& scan) {
  key.value(
      "rotation_center", "the index of a detector element, or auto",
      "Detector element, from 0, onto which the rotation axis projects; auto: found in the data.",
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
           "rotation_center is given, too; give one of the two")
      .value(
          "detector_offset", "a number", "Elements by which the detector is shifted.",
          [&](const ConfigReader& reader) {
            scan.detector_offset = reader.optional_number("detector_offset");
          },
          [&] { return ConfigNode::number(scan.detector_offset.value_or(0)); });
}

void describe_geometry(Keys& key, ScanConfig& scan) {
  key.value(
      "type", "parallel_beam, fan_beam or cone_beam",
      "How the rays of a view run; by default parallel.",
      [](const ConfigReader& reader) {
        reader.one_of("type", "", {"parallel_beam", "fan_beam", "cone_beam"});
      },
      [&] { return Impl::name_of(scan.beam); });
  describe_angles(key, scan);
  key.count_or_auto(
      "detectors", scan.detectors,
      "Elements of the detector; auto: as many as the data have, or cover the image.");
  key.number("detector_width", scan.detector_width, KeyRange::positive(), "Width of an element.");
  describe_center(key, scan);
  const bool is_fan = scan.beam == Beam::fan;
  const auto fan = [&](const char* hint) -> Keys& {
    return key
        .when(is_fan, "type: fan_beam",
              "has no effect on a parallel beam; for a fan: type: fan_beam")
        .required(hint);
  };
  fan("a fan beam has a source")
      .number("source_to_origin", scan.source_to_origin, KeyRange::positive(),
              "Distance of the source from the axis of rotation.");
  fan("0 puts the detector at the origin")
      .number("origin_to_detector", scan.origin_to_detector, KeyRange::not_negative(),
              "Distance of the detector from the axis of rotation.");
}

/// The rays are those of the matrix; only the shape of its data is left to say.
void describe_geometry(Keys& key, MatrixFileConfig& file) {
  const auto none = [&](const char* name) {
    key.when(false, "no matrix from a file",
             "has no effect on a matrix from a file; only views and detectors, the shape of its "
             "data, do")
        .value(name, "", "", {}, {});
  };
  none("type");
  for (const auto& [name, count, help] :
       {std::tuple{"views", &file.views, "Views that the rows of the matrix are in."},
        std::tuple{"detectors", &file.detectors, "Rows of the matrix in a view."}})
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
      "type", "parallel_beam, fan_beam or cone_beam",
      "How the rays of a view run; by default parallel.", [](const ConfigReader&) {},
      [] { return ConfigNode::text("cone_beam"); });
  for (const char* name : {"start", "range", "angles"})
    none(name, "has no effect on a cone beam, whose views are equal parts of a turn");
  none("rotation_center",
       "has no effect on a cone beam; give detector_offset: " + std::string(axes));
  key.required("their number, all around")
      .integer("views", scan.views, 1, max_ordinal, "Views, equal parts of a turn.");
  key.required("[along u, along v] of the elements of a view")
      .pair("detectors", scan.detectors, axes, "Elements of the detector.");
  key.pair("detector_width", scan.detector_width, KeyRange::positive(), axes,
           "Width of an element.");
  key.pair("detector_offset", scan.detector_offset, {}, axes,
           "Elements by which the detector is shifted.");
  key.integer("rays", scan.rays, 1, max_cone_beam_rays, "Rays along each side of an element.");
  key.required("a cone beam has a source")
      .number("source_to_origin", scan.source_to_origin, KeyRange::positive(),
              "Distance of the source from the axis of rotation.");
  key.required("0 puts the detector at the origin")
      .number("origin_to_detector", scan.origin_to_detector, KeyRange::not_negative(),
              "Distance of the detector from the axis of rotation.");
}

// Of a scanner.

void read_layers(const ConfigReader& reader, std::vector<CrystalLayer>& layers) {
  const ConfigNode& node = *reader.find("layers");
  const std::string path = reader.path_of("layers");
  if (!node.is_list() || node.items().empty())
    fail_at(node, path, "expected a list of {radius, length}, found " + node.describe());
  layers.clear();
  for (std::size_t k = 0; k < node.items().size(); ++k) {
    const ConfigReader layer(node.items()[k], path + "[" + std::to_string(k) + "]",
                             {"radius", "length"});
    layer.require_key("radius", "from the axis to the entrance faces of the crystals");
    layer.require_key("length", "of the crystals, away from the axis");
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
  // A scanner with a name has defaults.
  const auto needed = [&](const char* hint) -> Keys& { return is_ring ? key.required(hint) : key; };
  key.name("kind", config.kind, "A scanner by its name, or a ring with measures of its own.");
  needed("their number around the axis")
      .integer("modules", scanner.modules, 1, max_ordinal, "Modules around the axis.");
  key.value(
      "first_module", "an angle", "Angle of the first module.",
      [&](const ConfigReader& reader) {
        config.first_module =
            read_angle(*reader.find("first_module"), reader.path_of("first_module"));
        scanner.first_module = config.first_module.angle;
      },
      [&] { return angle_node(config.first_module); });
  key.integer("rings", scanner.rings, 1, max_ordinal, "Rings of modules along the axis.");
  key.when(scanner.rings > 1, "several rings", "has no effect on one ring")
      .number("ring_pitch", scanner.ring_pitch, KeyRange::not_negative(),
              "Distance between the middles of neighbouring rings.");
  needed("of a layer of a module, [around the axis, along it]")
      .pair("crystals", scanner.crystals, axes, "Crystals of a layer of a module.");
  needed("between the middles of crystals")
      .pair("crystal_pitch", scanner.crystal_pitch, KeyRange::positive(), axes,
            "Distance between the middles of crystals.");
  needed("[around the axis, along it]")
      .pair("crystal_size", scanner.crystal_size, KeyRange::positive(), axes,
            "Size of the entrance face of a crystal.");
  needed("a list of {radius, length}")
      .value(
          "layers", "a list of {radius, length}",
          "Layers of crystals: how far from the axis their faces are, and how long they are.",
          [&](const ConfigReader& reader) { read_layers(reader, scanner.layers); },
          [&] { return layers_node(scanner.layers); });
  key.integer("rays", scanner.rays, 1, max_ordinal,
              "Rays of a pair of crystals: 1, or a multiple of 8.");
  key.printed(scanner.field_of_view.has_value())
      .optional_number("field_of_view", scanner.field_of_view, KeyRange::positive(),
                       "Radius around the axis beyond which rays do not count.");
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
                "the phantom of a cone beam is sampled in its polar voxels and has a name; "
                "images of pixels are for other geometries");
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
          "file", "a .npy file", "An image, or a stack of them, instead of a phantom by name.",
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
          "kind", join_names(phantom_names(is_solid)), "The phantom.",
          [=, &phantom](const ConfigReader& reader) {
            read_phantom_name(reader, "kind", is_solid, phantom);
          },
          [&phantom] {
            return phantom.solid ? Impl::name_of(*phantom.solid) : Impl::name_of(phantom.kind);
          });
  named().integer("supersampling", phantom.sampling.supersampling, 1, 256,
                  "Points of a pixel along each side, over which the phantom is averaged.");
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

/// A `.npy` file; `auto`, the fields of an HDF5 file, is no file.
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
            "The measured data, views x detectors, or a scan of DXchange.");
  if (sinogram.is_archive()) {
    key.printed(!sinogram.array.empty())
        .text("dataset", sinogram.array, "the name of an array in the archive",
              "The array of the data; by default the only one.");
  } else {
    const bool is_hdf5 = sinogram.file.empty() || sinogram.is_hdf5();
    describe(
        key.when(
               is_hdf5, "an HDF5 file",
               "has no effect on a .npy or .tif file, which is one array; it belongs to HDF5 files "
               "and .npz archives")
            .printed(sinogram.is_hdf5()),
        sinogram.hdf5);
  }
  key.printed(!is_stack).integer("slice", sinogram.slice, 0, max_ordinal,
                                 "Row of the detector of a scan, or image of a stack.");
  key.value(
      "flat", "a .npy file, .tif files, auto or none",
      "The open beam; auto: of the HDF5 file, none: the data are line integrals already.",
      [&](const ConfigReader& reader) {
        const ConfigNode& node = *reader.find("flat");
        sinogram.is_line_integrals = node.is_scalar() && node.scalar() == "none";
        if (!sinogram.is_line_integrals) read_field(reader, "flat", sinogram.flat);
      },
      [&] {
        return sinogram.is_line_integrals ? ConfigNode::text("none") : field_node(sinogram.flat);
      });
  key.when(!sinogram.is_line_integrals, "not flat: none",
           "has no effect with flat: none, which takes the data as line integrals")
      .open_by_auto()
      .value(
          "dark", "a .npy file, .tif files or auto", "The detector without any beam.",
          [&](const ConfigReader& reader) { read_field(reader, "dark", sinogram.dark); },
          [&] { return field_node(sinogram.dark); });
  key.name("negative", sinogram.negative,
           "What mlem does with negative line integrals: refuse them, or set them to 0.");
}

// `all`, a number, or [first, count].
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
                reader.fail(name,
                            file.string() + ": expected a .npy file of numbers, not 0 is kept");
            },
            [&file] { return file.empty() ? ConfigNode() : Impl::file_node(file); });
  };
  mask("mask", problem.volume.size.has_value(), problem.mask,
       "Pixels that are reconstructed: an image, nonzero entries are kept.");
  mask("ray_mask", !problem.has_unknown_rows(), problem.ray_mask,
       "Rays that count: a sinogram, nonzero entries are kept.");
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
          "The image that data are made of.",
          [&](const ConfigReader& reader) {
            const ConfigNode& node = *reader.find("phantom");
            // A name has no point.
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
  key.when(problem.as<ScanConfig>() != nullptr, "a parallel or fan beam",
           is_cone ? "is for views of a plane; the data of a cone beam, an array (v, u, view), are "
                     "problem.rhs"
                   : "is for views and detectors; other data are problem.rhs")
      .printed(problem.sinogram.has_value())
      .section_or(
          "sinogram", "a .npy, .npz, .tif or HDF5 file, or a section", "Measured data.",
          [&](const ConfigReader& reader) { sinogram().file = reader.file("sinogram"); },
          [] { return ConfigNode::map(); },
          [&](Keys& keys) { describe_sinogram(keys, sinogram(), problem.slices.has_value()); });
}

void describe_right_hand_side(Keys& key, ProblemSection& problem) {
  key.when(!problem.as<ScanConfig>(), "a matrix from a file, a scanner or a cone beam",
           "belongs to a matrix from a file (problem.matrix, block_row) or to a scanner "
           "(problem.scanner); measured data of a geometry are problem.sinogram")
      .printed(!problem.rhs.empty())
      .file("rhs", problem.rhs, "a .npy, .mtx or .mtx.gz file, or one of raw numbers",
            "The data, a number for each row of the matrix.");
  key.when(problem.rhs_is_raw(), "a raw file as rhs",
           "is the type of the numbers in a raw file as problem.rhs")
      .name("rhs_type", problem.rhs_type, "Type of the numbers in a raw file.");
}

void read_matrix_file(const ConfigReader& reader, const char* key, std::filesystem::path& file) {
  file = reader.file(key);
  if (!is_matrix_file(file))
    reader.fail(key, file.string() + ": the extension is not that of a matrix; allowed are " +
                         matrix_file_extensions);
}

/// The sources of the rows other than a geometry, one of which there may be.
void describe_sources(Keys& key, ProblemSection& problem) {
  auto* const row = std::get_if<BlockRowConfig>(&problem.geometry);
  auto* const pet = std::get_if<ScannerConfig>(&problem.geometry);
  const bool is_file = problem.as<MatrixFileConfig>() != nullptr;
  const bool is_cone = problem.as<ConeBeamRows>() != nullptr;
  const std::string two = pet ? "and problem.scanner are two system matrices; give one"
                          : is_cone
                              ? "and geometry.type: cone_beam are two system matrices; give one"
                              : "and problem.block_row are two system matrices; give one";
  const auto file = [&](const char* name, bool applies, const char* help) {
    key.when(applies, name, two)
        .value(
            name, "a matrix file", help,
            [&problem, name](const ConfigReader& reader) {
              read_matrix_file(reader, name, problem.matrix);
            },
            [&problem] { return Impl::file_node(problem.matrix); });
  };
  file("matrix", is_file, "The system matrix, from a file.");
  file("block_row", row != nullptr,
       "The first row of blocks of a block-circulant system matrix, from a file.");
  Ordinal none = 0;
  key.when(row != nullptr, "block_row", blocks_are_of_block_row)
      .printed(row && row->blocks > 0)
      .integer("blocks", row ? row->blocks : none, 1, max_ordinal,
               "Blocks that stand side by side in block_row; a .npz file tells them.");
  ScannerConfig other;
  ScannerConfig& scanner = pet ? *pet : other;
  key.when(
         pet != nullptr, "scanner",
         is_cone ? "and geometry.type: cone_beam are two scanners; give one" : "is another source")
      .section_or(
          "scanner", "the name of a scanner, or a section", "A PET scanner.",
          [&](const ConfigReader& reader) {
            reader.choice("scanner", scanner.kind);
            if (scanner.kind == ScannerKind::ring)
              reader.fail("scanner", "a ring needs its measures: {modules, crystals, ...}");
          },
          [] { return ConfigNode::map(); }, [&](Keys& keys) { describe_scanner(keys, scanner); });
}

std::string why_no_projector(const ProblemSection& problem) {
  if (problem.as<ScannerConfig>())
    return "has no effect on a PET scanner (problem.scanner), whose rays run between its crystals";
  if (problem.as<ConeBeamRows>())
    return "has no effect on a cone beam: an entry is the length of a ray in a voxel, the mean "
           "over "
           "geometry.rays";
  return std::string("has no effect on a matrix from a file (problem.") +
         (problem.traits().is_circulant ? "block_row)" : "matrix)");
}

}  // namespace

void describe(Keys& key, NoiseConfig& noise) {
  key.name("type", noise.kind, "What is added to the data of a phantom.");
  key.only("type", noise.kind, NoiseKind::poisson)
      .required("for example 1e5")
      .number("counts", noise.counts, KeyRange::positive(),
              "Events of the brightest ray, or photons that are sent along every ray.");
  key.only("type", noise.kind, NoiseKind::poisson)
      .name("model", noise.model, "Emission counts events, transmission counts photons.");
  key.only("type", noise.kind, NoiseKind::gaussian)
      .required("the standard deviation")
      .number("sigma", noise.sigma, KeyRange::not_negative(),
              "Standard deviation, or the norm of the noise over that of the data.");
  key.only("type", noise.kind, NoiseKind::gaussian)
      .name("scale", noise.scale, "What sigma is of: absolute, or relative to the data.");
}

void describe_tomography(Keys& key, ProblemSection& problem) {
  auto* const scan = std::get_if<ScanConfig>(&problem.geometry);
  key.section(
      "volume", [&](Keys& keys) { describe_volume(keys, problem); },
      "The pixels that are reconstructed.");
  key.when(!problem.as<ScannerConfig>(), "every matrix but that of a scanner",
           why_no_projector(problem))
      .section(
          "geometry",
          [&](Keys& keys) {
            std::visit([&](auto& geometry) { describe_geometry(keys, geometry); },
                       problem.geometry);
          },
          "The rays.");
  describe_sources(key, problem);
  Projector none{};
  key.when(scan != nullptr, "a parallel or fan beam", why_no_projector(problem))
      .name("projector", scan ? scan->projector : none, "The weight of a pixel in a ray.");
  describe_data(key, problem);
  key.printed(problem.slices || (problem.rhs.empty() && !problem.volume.slices))
      .value(
          "slices", "all, a number, or [first, count]",
          "A stack of slices: which of the measured data, or how many copies of a phantom.",
          [&](const ConfigReader& reader) { read_slices(reader, problem); },
          [&] { return slices_node(problem); });
  describe_masks(key, problem);
  describe_right_hand_side(key, problem);
  key.printed(problem.phantom.has_value())
      .name("data", problem.data,
            "What projects the phantom: the matrix, or the formula of its ellipses.");
  key.printed(problem.phantom.has_value())
      .section("noise", problem.noise, "What is added to the data of a phantom.");
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
  // Of a section that may be a name, the name.
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
