// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <array>

namespace Tomokkos {

namespace {

/// The lengths of the volume of a scanner. One with a name has defaults.
void read_lengths(const ConfigReader& reader, ScannerKind kind, VolumeConfig& volume) {
  const VolumeGeometry3D known = make_scanner_volume(kind);
  if (kind != ScannerKind::ring) {
    volume.slices = known.slices;
    volume.size = {known.rows, known.columns};
  }
  volume.pixel = reader.number("pixel", known.pixel, NumberRange::positive());
  volume.thickness = reader.number(
      "thickness", reader.has("pixel") ? volume.pixel : known.thickness, NumberRange::positive());
}

/// `[slices, rows, columns]`
void read_size_3d(const ConfigNode& size, const std::string& path, VolumeConfig& volume) {
  std::array<Ordinal, 3> lengths{};
  for (std::size_t i = 0; i < 3; ++i)
    lengths[i] = static_cast<Ordinal>(
        integer_of(size.items()[i], path + "[" + std::to_string(i) + "]", 1, max_ordinal));
  volume.slices = lengths[0];
  volume.size = {lengths[1], lengths[2]};
  try {
    check(VolumeGeometry3D{lengths[0], lengths[1], lengths[2], volume.pixel, volume.thickness});
  } catch (const Error& error) {
    fail_at(size, path, error.what());
  }
}

}  // namespace

void read_volume(const ConfigReader& problem, ProblemSection& result) {
  const auto* scanner = result.as<ScannerConfig>();
  const bool is_read = result.traits().is_read;
  std::vector<std::string_view> keys{"size", "pixel"};
  if (scanner) keys.push_back("thickness");
  const ConfigReader reader = problem.section("volume", keys);
  if (is_read) reader.refuse_key("pixel", "has no effect on a matrix from a file (problem.matrix)");
  const ConfigNode* size = reader.find("size");
  if (!scanner) {
    result.volume.pixel = reader.number("pixel", result.volume.pixel, NumberRange::positive());
  } else {
    read_lengths(reader, scanner->kind, result.volume);
    if (!size && !result.volume.size)
      reader.require_key("size", "[slices, rows, columns] of the volume, for example [20, 70, 70]");
    if (size && (!size->is_list() || size->items().size() != 3))
      fail_at(*size, reader.path_of("size"),
              "expected [slices, rows, columns], found " + size->describe());
  }
  if (scanner && !size) return;
  if (size && size->is_list() && size->items().size() == 3 && (scanner || is_read)) {
    read_size_3d(*size, reader.path_of("size"), result.volume);
    return;
  }
  if (!size) {
    if (!is_read || result.phantom)
      reader.require_key("size", "[rows, columns] of the image, for example [256, 256]");
    return;
  }
  const std::string path = reader.path_of("size");
  if (!size->is_list() || size->items().size() != 2)
    fail_at(*size, path, "expected [rows, columns], found " + size->describe());
  const long long rows = integer_of(size->items()[0], path + "[0]", 1, max_ordinal);
  const long long columns = integer_of(size->items()[1], path + "[1]", 1, max_ordinal);
  if (rows * columns > max_ordinal) {
    // Just below 2^64 bytes at most: an image of 2^31 x 2^31 single precision values.
    fail_at(*size, path,
            std::to_string(rows) + " x " + std::to_string(columns) + " pixels are " +
                std::to_string(rows * columns) +
                " columns of the system matrix, more than its index type holds (" +
                std::to_string(max_ordinal) + "); the image alone would take " +
                describe_bytes(4ULL * static_cast<unsigned long long>(rows * columns)) +
                " in single precision");
  }
  result.volume.size = {static_cast<Ordinal>(rows), static_cast<Ordinal>(columns)};
}

PhantomConfig read_phantom(const ConfigReader& problem, bool is_solid) {
  PhantomConfig result;
  const auto read_kind = [&](const ConfigReader& reader, std::string_view key) {
    if (is_solid)
      read_solid_phantom(reader, key, result);
    else
      result.kind = reader.choice(key, result.kind);
  };
  const auto read_file = [&](const ConfigReader& reader, std::string_view key) {
    result.file = reader.file(key);
    if (result.file.extension() != ".npy")
      reader.fail(key,
                  result.file.string() +
                      ": expected a .npy file of rows x columns, or of slices x rows x columns");
    if (is_solid)
      reader.fail(key,
                  "the phantom of a cone beam is sampled in its polar voxels and has a name; "
                  "images of pixels are for other geometries");
  };
  if (const ConfigNode& node = *problem.find("phantom"); node.is_scalar()) {
    // A name has no point.
    if (node.scalar().find('.') != std::string::npos)
      read_file(problem, "phantom");
    else
      read_kind(problem, "phantom");
    return result;
  }
  const ConfigReader reader = problem.section("phantom", {"kind", "file", "supersampling", "tile"});
  if (reader.has("file")) {
    for (const char* key : {"kind", "supersampling", "tile"})
      reader.refuse_key(key, "has no effect on an image from a file (problem.phantom.file)");
    read_file(reader, "file");
    return result;
  }
  reader.require_key("kind", "for example shepp_logan");
  read_kind(reader, "kind");
  result.sampling.supersampling = static_cast<int>(reader.integer("supersampling", 1, 1, 256));
  if (result.kind != PhantomKind::checkerboard)
    reader.refuse_key("tile", "has no effect on the phantom " +
                                  std::string(to_string(result.kind)) +
                                  "; it belongs to checkerboard");
  result.sampling.checkerboard_tile = reader.integer("tile", 0, 0, max_ordinal);
  return result;
}

}  // namespace Tomokkos
