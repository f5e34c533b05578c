// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Hdf5Listing.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string_view>

#if defined(TOMOKKOS_HAVE_HDF5)
#include <charconv>
#include <impl/Tomokkos_Hdf5File.hpp>
#endif

namespace Tomokkos {

namespace {

/// True if the file has the signature of HDF5, which lies at its begin or after a block of another
/// use, of 512, 1024, 2048, ... bytes.
bool has_hdf5_signature(const std::filesystem::path& file) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  constexpr std::uintmax_t last_block = 1 << 20;
  std::error_code error;
  // Opening a pipe would wait.
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::ifstream stream(file, std::ios::binary);
  for (std::uintmax_t at = 0; stream && at <= last_block; at = at == 0 ? 512 : 2 * at) {
    std::array<char, 8> bytes{};
    if (stream.seekg(static_cast<std::streamoff>(at)) && stream.read(bytes.data(), bytes.size()) &&
        std::string_view(bytes.data(), bytes.size()) == signature)
      return true;
  }
  return false;
}

}  // namespace

bool is_hdf5_file(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* known : {".h5", ".hdf5", ".hdf", ".nxs", ".nx", ".hspy"})
    if (extension == known) return true;
  return has_hdf5_signature(file);
}

#if defined(TOMOKKOS_HAVE_HDF5)

namespace {

using Impl::Hdf5File;
using Handle = Impl::Hdf5Handle;

/// Text without control characters, which come from the file.
std::string printable(std::string text) {
  for (char& character : text)
    if (static_cast<unsigned char>(character) < ' ') character = ' ';
  return text;
}

std::string type_text(hid_t type) {
  const std::size_t bits = 8 * H5Tget_size(type);
  const char* const order = bits > 8 && H5Tget_order(type) == H5T_ORDER_BE ? ", big-endian" : "";
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return (H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int") + std::to_string(bits) + order;
    case H5T_FLOAT:
      return "float" + std::to_string(bits) + order;
    case H5T_STRING:
      return "text";
    case H5T_ENUM:
      return "enumeration";
    case H5T_COMPOUND:
      return "compound";
    case H5T_REFERENCE:
      return "reference";
    case H5T_ARRAY:
      return "array";
    case H5T_VLEN:
      return "lists";
    default:
      return "other";
  }
}

std::string number_text(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}

/// Value of an attribute: a text, or up to eight numbers.
std::string attribute_text(const Hdf5File& file, const std::string& path, const Handle& attribute,
                           const char* name) {
  constexpr hssize_t most_values = 8;
  const Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const hssize_t count = space.valid() ? H5Sget_simple_extent_npoints(space.id()) : 0;
  const H5T_class_t kind = type.valid() ? H5Tget_class(type.id()) : H5T_NO_CLASS;
  if (kind == H5T_STRING && count == 1)
    return printable(file.text_attribute(path, name).value_or("a long text"));
  if ((kind == H5T_INTEGER || kind == H5T_FLOAT) && count >= 1 && count <= most_values) {
    std::array<double, most_values> values{};
    if (H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, values.data()) < 0) return "cannot be read";
    std::string text;
    for (hssize_t i = 0; i < count; ++i)
      text += (i == 0 ? "" : ", ") + number_text(values[static_cast<std::size_t>(i)]);
    return text;
  }
  return Impl::text("{} values of type {}", static_cast<long long>(count),
                    type.valid() ? type_text(type.id()) : "other");
}

void add_attributes(const Hdf5File& file, const Handle& dataset, Hdf5Item& item) {
  constexpr int most = 32;
  const int count = H5Aget_num_attrs(dataset.id());
  for (int i = 0; i < std::min(count, most); ++i) {
    const Handle attribute(H5Aopen_by_idx(dataset.id(), ".", H5_INDEX_NAME, H5_ITER_INC,
                                          static_cast<hsize_t>(i), H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    std::array<char, 256> name{};
    if (!attribute.valid() || H5Aget_name(attribute.id(), name.size(), name.data()) <= 0) continue;
    item.attributes.emplace_back(printable(name.data()),
                                 attribute_text(file, item.path, attribute, name.data()));
  }
}

}  // namespace

std::vector<Hdf5Item> list_hdf5(const std::filesystem::path& path, std::size_t most_items) {
  constexpr std::size_t most_links = 100000;
  const Hdf5File file(path);
  std::vector<Hdf5Item> items;
  for (const Hdf5File::Link& link : file.links(most_links)) {
    if (items.size() >= most_items) break;
    Hdf5Item item;
    item.path = link.path;
    if (!link.is_hard) item.link = printable(file.link_text(link.path));
    const bool is_followed = link.is_hard || !file.leads_out(link.path);
    const Handle dataset(
        is_followed ? H5Dopen2(file.id(), link.path.c_str(), H5P_DEFAULT) : H5I_INVALID_HID,
        H5Dclose);
    if (dataset.valid()) {
      const auto shape = file.shape(link.path);
      if (shape) item.shape.assign(shape->begin(), shape->end());
      const Handle type(H5Dget_type(dataset.id()), H5Tclose);
      item.type = type.valid() ? type_text(type.id()) : "other";
      add_attributes(file, dataset, item);
    } else if (link.is_hard || file.is_group(link.path)) {
      continue;
    }
    item.path = printable(item.path);
    items.push_back(std::move(item));
  }
  return items;
}

#else

std::vector<Hdf5Item> list_hdf5(const std::filesystem::path& path, std::size_t) {
  throw InputError(path.string() + ": cannot be read: this library was built without HDF5");
}

#endif

}  // namespace Tomokkos
