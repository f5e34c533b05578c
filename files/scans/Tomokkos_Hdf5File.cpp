// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_InputFile.hpp>
#include <Tomokkos_Text.hpp>
#include <algorithm>
#include <cstring>
#include <impl/Tomokkos_Hdf5File.hpp>

#if defined(TOMOKKOS_HAVE_HDF5)

namespace Tomokkos::Impl {

namespace {

constexpr std::size_t longest_text = 256;

Hdf5Handle open_checked(const std::filesystem::path& path) {
  const InputFile file(path);  // explains why a file cannot be opened
  return Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
}

/// Reads a single text of fixed or variable length; nothing if the values are of another type.
template <class Read>
std::optional<std::string> read_text(hid_t type, hid_t space, const Read& read) {
  if (type < 0 || H5Tget_class(type) != H5T_STRING || space < 0 ||
      H5Sget_simple_extent_npoints(space) != 1)
    return std::nullopt;
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (read(&text) < 0) return std::nullopt;
    std::string result = text == nullptr ? "" : std::string(text, strnlen(text, longest_text));
    H5free_memory(text);
    return result;
  }
  const std::size_t size = H5Tget_size(type);
  if (size > longest_text) return std::nullopt;
  std::string result(size, '\0');
  if (read(result.data()) < 0) return std::nullopt;
  return result.substr(0, result.find('\0'));
}

/// Callback for each link below a group. The name of the type depends on the version of the HDF5
/// library.
struct LinkCollector {
  std::vector<Hdf5File::Link>& links;
  std::size_t most;

  template <class Info>
  static herr_t add(hid_t, const char* name, const Info* info, void* data) {
    auto& self = *static_cast<LinkCollector*>(data);
    self.links.push_back({std::string("/").append(name), info->type == H5L_TYPE_HARD});
    return self.links.size() < self.most ? 0 : 1;
  }
};

}  // namespace

std::string hdf5_group_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

std::string hdf5_path_in(const std::string& group, const std::string& name) {
  return group == "/" ? "/" + name : group + "/" + name;
}

Hdf5File::Hdf5File(const std::filesystem::path& path)
    : path_(path.string()), file_(open_checked(path)) {
  if (!file_.valid())
    throw InputError(path_ + ": not a readable HDF5 file (damaged, truncated or of another kind)");
}

bool Hdf5File::has_link(const std::string& name) const {
  return H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) > 0;
}

bool Hdf5File::has(const std::string& name) const {
  if (name == "/") return true;
  for (std::size_t slash = name.find('/', 1); slash != std::string::npos;
       slash = name.find('/', slash + 1))
    if (!has_link(name.substr(0, slash))) return false;
  return has_link(name);
}

Hdf5Handle Hdf5File::open_object(const std::string& name) const {
  const Hdf5Handle access = noting_hdf5_links(H5P_LINK_ACCESS);
  Hdf5Handle object(has(name) ? H5Oopen(file_.id(), name.c_str(), access.id()) : H5I_INVALID_HID,
                    H5Oclose);
  if (object.valid()) note_hdf5_source(object.id());
  return object;
}

std::optional<std::vector<hsize_t>> Hdf5File::shape(const std::string& name) const {
  const Hdf5Handle object = open_object(name);
  if (!object.valid() || H5Iget_type(object.id()) != H5I_DATASET) return std::nullopt;
  const Hdf5Handle space(H5Dget_space(object.id()), H5Sclose);
  const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.id()) : -1;
  if (rank < 0) return std::nullopt;
  std::vector<hsize_t> result(static_cast<std::size_t>(rank));
  if (rank > 0 && H5Sget_simple_extent_dims(space.id(), result.data(), nullptr) != rank)
    return std::nullopt;
  return result;
}

std::optional<hsize_t> Hdf5File::list_length(const std::string& name) const {
  const auto found = shape(name);
  if (!found || found->empty() || found->size() > 2 || (found->size() == 2 && found->back() != 1))
    return std::nullopt;
  return found->front();
}

bool Hdf5File::holds_numbers(const std::string& name) const {
  const Hdf5Handle object = open_object(name);
  if (!object.valid() || H5Iget_type(object.id()) != H5I_DATASET) return false;
  const Hdf5Handle type(H5Dget_type(object.id()), H5Tclose);
  const H5T_class_t kind = type.valid() ? H5Tget_class(type.id()) : H5T_NO_CLASS;
  return kind == H5T_INTEGER || kind == H5T_FLOAT;
}

std::optional<std::string> Hdf5File::text_dataset(const std::string& name) const {
  const Hdf5Handle object = open_object(name);
  if (!object.valid() || H5Iget_type(object.id()) != H5I_DATASET) return std::nullopt;
  const Hdf5Handle type(H5Dget_type(object.id()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(object.id()), H5Sclose);
  return read_text(type.id(), space.id(), [&](void* out) {
    return H5Dread(object.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
  });
}

std::optional<std::string> Hdf5File::text_attribute(const std::string& name,
                                                    const char* attribute_name) const {
  const Hdf5Handle object = open_object(name);
  if (!object.valid() || H5Aexists(object.id(), attribute_name) <= 0) return std::nullopt;
  const Hdf5Handle attribute(H5Aopen(object.id(), attribute_name, H5P_DEFAULT), H5Aclose);
  if (!attribute.valid()) return std::nullopt;
  const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
  return read_text(type.id(), space.id(),
                   [&](void* out) { return H5Aread(attribute.id(), type.id(), out); });
}

bool Hdf5File::has_attribute(const std::string& name, const char* attribute) const {
  const Hdf5Handle object = open_object(name);
  return object.valid() && H5Aexists(object.id(), attribute) > 0;
}

std::vector<std::string> Hdf5File::children(const std::string& group) const {
  constexpr hsize_t most = 1000;
  const Hdf5Handle object = open_object(group);
  H5G_info_t info{};
  if (!object.valid() || H5Iget_type(object.id()) != H5I_GROUP ||
      H5Gget_info(object.id(), &info) < 0)
    return {};
  std::vector<std::string> names;
  for (hsize_t i = 0; i < std::min(info.nlinks, most); ++i) {
    const ssize_t length = H5Lget_name_by_idx(object.id(), ".", H5_INDEX_NAME, H5_ITER_INC, i,
                                              nullptr, 0, H5P_DEFAULT);
    if (length <= 0) continue;
    std::string name(static_cast<std::size_t>(length) + 1, '\0');
    H5Lget_name_by_idx(object.id(), ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size(),
                       H5P_DEFAULT);
    name.pop_back();
    names.push_back(std::move(name));
  }
  return names;
}

std::string Hdf5File::target(const std::string& name) const {
  std::string path = name;
  for (int links = 0; links < 16; ++links) {
    bool is_replaced = false;
    for (std::size_t end = path.find('/', 1); !is_replaced; end = path.find('/', end + 1)) {
      const std::string part = path.substr(0, end);
      H5L_info_t info{};
      if (part == "/" || !has_link(part) ||
          H5Lget_info(file_.id(), part.c_str(), &info, H5P_DEFAULT) < 0)
        return path;
      if (info.type == H5L_TYPE_SOFT) {
        std::string value(info.u.val_size + 1, '\0');
        if (H5Lget_val(file_.id(), part.c_str(), value.data(), value.size(), H5P_DEFAULT) < 0)
          return path;
        value.resize(std::strlen(value.c_str()));
        while (value.starts_with("./")) value.erase(0, 2);
        if (value.empty()) return path;
        const std::string rest = end == std::string::npos ? "" : path.substr(end);
        path = (value.front() == '/' ? value : hdf5_path_in(hdf5_group_of(part), value)) + rest;
        is_replaced = true;
      } else if (info.type != H5L_TYPE_HARD || end == std::string::npos) {
        return path;
      }
    }
  }
  return path;
}

namespace {

struct LinkTarget {
  H5L_type_t type = H5L_TYPE_HARD;
  std::string file, path;  ///< file: only of a link to another file
};

LinkTarget link_target(hid_t file, const std::string& name) {
  H5L_info_t info{};
  if (H5Lget_info(file, name.c_str(), &info, H5P_DEFAULT) < 0 || info.type == H5L_TYPE_HARD)
    return {};
  std::string value(info.u.val_size + 1, '\0');
  if (H5Lget_val(file, name.c_str(), value.data(), value.size(), H5P_DEFAULT) < 0)
    return {info.type, "", "something that cannot be read"};
  if (info.type == H5L_TYPE_SOFT) return {info.type, "", value.substr(0, value.find('\0'))};
  const char *other = nullptr, *path = nullptr;
  unsigned flags = 0;
  if (info.type != H5L_TYPE_EXTERNAL ||
      H5Lunpack_elink_val(value.data(), info.u.val_size, &flags, &other, &path) < 0)
    return {info.type, "", "something of an unknown kind"};
  return {info.type, other, path};
}

}  // namespace

std::string Hdf5File::link_text(const std::string& name) const {
  if (!has(name)) return "";
  const LinkTarget target = link_target(file_.id(), name);
  return target.file.empty() ? target.path : target.file + ":" + target.path;
}

bool Hdf5File::leads_out(const std::string& name) const {
  const H5L_type_t type = has(name) ? link_target(file_.id(), name).type : H5L_TYPE_HARD;
  return type != H5L_TYPE_HARD && type != H5L_TYPE_SOFT;
}

bool Hdf5File::is_group(const std::string& name) const {
  if (leads_out(name)) return false;
  const Hdf5Handle object = open_object(name);
  return object.valid() && H5Iget_type(object.id()) == H5I_GROUP;
}

bool Hdf5File::leads_nowhere(const std::string& name) const {
  if (!has(name)) return true;
  const LinkTarget target = link_target(file_.id(), name);
  if (target.type == H5L_TYPE_HARD || target.type == H5L_TYPE_SOFT) return false;
  std::error_code error;
  std::filesystem::path other = target.file;
  if (other.is_relative()) other = std::filesystem::path(path_).parent_path() / other;
  return target.file.empty() || !std::filesystem::is_regular_file(other, error);
}

std::vector<Hdf5File::Link> Hdf5File::links(std::size_t most) const {
  std::vector<Link> result;
  LinkCollector collector{result, most};
  H5Lvisit(file_.id(), H5_INDEX_NAME, H5_ITER_INC, LinkCollector::add, &collector);
  return result;
}

std::string Hdf5File::identity(const std::string& name) const {
  const Hdf5Handle object = open_object(name);
  if (!object.valid()) return "";
#if H5_VERSION_GE(1, 12, 0)
  H5O_info2_t info{};
  if (H5Oget_info3(object.id(), &info, H5O_INFO_BASIC) < 0) return "";
  std::string result(reinterpret_cast<const char*>(&info.token), sizeof info.token);
#else
  H5O_info_t info{};
  if (H5Oget_info(object.id(), &info) < 0) return "";
  std::string result = std::to_string(info.addr);
#endif
  return std::to_string(info.fileno) + ":" + result;
}

std::string Hdf5File::datasets() const {
  constexpr std::size_t most = 8, most_links = 4096;
  std::string text;
  std::size_t told = 0;
  for (const Link& link : links(most_links)) {
    const auto found = link.is_hard ? shape(link.path) : std::nullopt;
    if (found && (found->size() == 2 || found->size() == 3) && told++ < most)
      text += (text.empty() ? "" : ", ") + link.path;
  }
  return told > most ? text + Impl::text(" and {} others", told - most) : text;
}

void Hdf5File::fail(const std::string& name, const std::string& message) const {
  throw InputError(path_ + ": dataset " + name + ": " + message);
}

Hdf5Handle Hdf5File::open(const std::string& name, int rank, hsize_t* extents) const {
  if (!has(name)) {
    const std::string others = datasets();
    fail(name, "is missing" + (others.empty() ? "" : "; the file holds " + others));
  }
  const Hdf5Handle access = noting_hdf5_links(H5P_DATASET_ACCESS);
  Hdf5Handle dataset(H5Dopen2(file_.id(), name.c_str(), access.id()), H5Dclose);
  if (!dataset.valid()) {
    const std::string link = link_text(name);
    fail(name, link.empty() ? "cannot be opened" : "cannot be opened: it is a link to " + link);
  }
  note_hdf5_source(dataset.id());
  const Hdf5Handle type(H5Dget_type(dataset.id()), H5Tclose);
  const H5T_class_t kind = type.valid() ? H5Tget_class(type.id()) : H5T_NO_CLASS;
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) fail(name, "does not hold numbers");
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  const int actual = space.valid() ? H5Sget_simple_extent_ndims(space.id()) : -1;
  if (actual != rank) fail(name, text("has {} dimensions instead of {}", actual, rank));
  if (H5Sget_simple_extent_dims(space.id(), extents, nullptr) != rank)
    fail(name, "its shape cannot be read");
  return dataset;
}

std::vector<double> Hdf5File::read_list(const std::string& name, bool allow_non_finite) const {
  const auto found = shape(name);
  const std::size_t rank = found && found->size() == 2 && list_length(name) ? 2 : 1;
  std::vector<hsize_t> extents(rank, 0);
  const Hdf5Handle dataset = open(name, static_cast<int>(rank), extents.data());
  return read_frames<double>(name, dataset, 0, {{0, extents[0]}}, std::vector<hsize_t>(rank, 0),
                             extents, allow_non_finite,
                             [](std::vector<double>&& box, const auto&) { return std::move(box); });
}

}  // namespace Tomokkos::Impl

#endif
