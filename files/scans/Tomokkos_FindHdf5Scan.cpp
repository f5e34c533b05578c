// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <functional>
#include <impl/Tomokkos_FindHdf5Scan.hpp>
#include <utility>

#if defined(TOMOKKOS_HAVE_HDF5)

namespace Tomokkos::Impl {

namespace {

using Names = std::vector<std::string>;

constexpr std::size_t most_links = 20000;

std::string absolute(const std::string& path) { return path.starts_with('/') ? path : "/" + path; }

/// Groups in which the parts of a scan are looked for, under a common name for messages.
struct Place {
  std::string name;  ///< `/entry/sample`, or `/entry/*` for all groups in `/entry`
  Names groups;
};

/// Groups of \p data: its own, that of the object that soft links lead to, and that of its
/// attribute `target`, by which NeXus names the first of several links.
Names groups_of(const Hdf5File& file, const std::string& data) {
  Names groups{hdf5_group_of(data)};
  const auto add = [&](const std::string& path) {
    if (!path.starts_with('/')) return;
    const std::string group = hdf5_group_of(path);
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  };
  add(file.target(data));
  add(file.text_attribute(data, "target").value_or(""));
  return groups;
}

/// Places around \p data, the nearest first: its groups, and those of the entry that it belongs to.
std::vector<Place> places_around(const Hdf5File& file, const std::string& data) {
  const Names own = groups_of(file, data);
  std::vector<Place> places;
  const auto add = [&](const std::string& name, Names groups) {
    if (std::none_of(places.begin(), places.end(),
                     [&](const Place& place) { return place.name == name; }))
      places.push_back({name, std::move(groups)});
  };
  const auto add_children = [&](const std::string& group) {
    Names groups;
    for (const std::string& name : file.children(group))
      groups.push_back(hdf5_path_in(group, name));
    if (!groups.empty()) add(hdf5_path_in(group, "*"), std::move(groups));
  };
  for (const std::string& group : own) add(group, {group});
  for (const std::string& start : own) {
    // An entry is the scan; the groups beside it are others.
    for (std::string group = start;; group = hdf5_group_of(group)) {
      if (group == "/" && start != "/") break;
      add(group, {group});
      add_children(group);
      add_children(hdf5_path_in(group, "instrument"));
      if (group == "/" || file.text_attribute(group, "NX_class") == "NXentry") break;
    }
  }
  return places;
}

/// Calls \p accept with each list of numbers that has one of \p names in \p places, until it
/// returns true.
void search(const Hdf5File& file, const std::vector<Place>& places, const Names& names,
            const std::function<bool(const std::string&, hsize_t)>& accept) {
  for (const Place& place : places)
    for (const std::string& group : place.groups)
      for (const std::string& name : names) {
        const std::string path = hdf5_path_in(group, name);
        if (!file.has(path) || file.leads_nowhere(path)) continue;
        const auto length = file.list_length(path);
        if (length && file.holds_numbers(path) && accept(path, *length)) return;
      }
}

std::string sought_in(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places) text += (text.empty() ? "" : ", ") + place.name;
  return text;
}

/// List of numbers, and its length.
struct FoundList {
  std::string path;
  hsize_t length = 0;
};

/// Finds the first list of one of the lengths \p accepted; otherwise the first list.
FoundList find_list(const Hdf5File& file, const std::vector<Place>& places, const Names& names,
                    std::initializer_list<hsize_t> accepted) {
  FoundList result;
  search(file, places, names, [&](const std::string& path, hsize_t length) {
    const bool fits = std::find(accepted.begin(), accepted.end(), length) != accepted.end();
    if (fits || result.path.empty()) result = {path, length};
    return fits;
  });
  return result;
}

const Names key_names{"image_key", "image_key_control"};

/// True if \p path is a dataset that may hold the frames of a scan.
bool may_hold_frames(const Hdf5File& file, const std::string& path) {
  if (file.leads_nowhere(path)) return false;
  const auto shape = file.shape(path);
  return shape && (shape->size() == 2 || shape->size() == 3) && file.holds_numbers(path);
}

/// Scan that may be meant: data with an `image_key`.
struct Candidate {
  std::string data, identity;
  bool is_near = false;  ///< the key lies in the group of the data
  bool has_images = false;
};

/// Removes the candidates that lack a property which others have.
template <class Property>
void prefer(std::vector<Candidate>& scans, const Property& property) {
  if (std::any_of(scans.begin(), scans.end(), property))
    std::erase_if(scans, [&](const Candidate& scan) { return !property(scan); });
}

[[noreturn]] void fail_with_several(const Hdf5File& file, const std::vector<Candidate>& scans) {
  std::string all;
  for (const Candidate& scan : scans) all += (all.empty() ? "" : ", ") + scan.data;
  throw InputError(file.path() + ": holds several scans; choose one by its dataset: " + all);
}

}  // namespace

std::string find_nxtomo_data(const Hdf5File& file, const AxisOrder& order) {
  const std::vector<Hdf5File::Link> links = file.links(most_links);
  const auto is_named = [](const std::string& path, const std::string& name) {
    return path.ends_with("/" + name);
  };
  Names keys, definitions;
  std::vector<hsize_t> key_lengths;
  for (const Hdf5File::Link& link : links) {
    for (const std::string& name : key_names)
      if (const auto length = is_named(link.path, name) && !file.leads_nowhere(link.path)
                                  ? file.list_length(link.path)
                                  : std::nullopt) {
        keys.push_back(link.path);
        key_lengths.push_back(*length);
      }
    if (is_named(link.path, "definition") && link.is_hard &&
        file.text_dataset(link.path) == "NXtomo")
      definitions.push_back(hdf5_group_of(link.path));
  }
  std::vector<Candidate> scans;
  std::string other_length;  // data whose key has another length
  const auto add = [&](const std::string& data, bool is_near) {
    const std::string identity = file.identity(data);
    for (Candidate& scan : scans)
      if (scan.identity == identity) {
        scan.is_near = scan.is_near || is_near;
        return;
      }
    scans.push_back({data, identity, is_near, file.shape(data)->size() == 3});
  };
  if (!keys.empty()) {
    for (const Hdf5File::Link& link : links) {
      if (!may_hold_frames(file, link.path) || file.list_length(link.path)) continue;
      const std::vector<hsize_t> shape = *file.shape(link.path);
      const auto complete = complete_order(order, shape.size());
      if (!complete) continue;
      const hsize_t frames = shape[*position_of(ScanAxis::views, *complete)];
      const Names own = groups_of(file, link.path);
      const auto is_beside = [&](const std::string& list) {
        return std::find(own.begin(), own.end(), hdf5_group_of(list)) != own.end();
      };
      // Looking around each dataset of a large file would take long.
      if (std::find(key_lengths.begin(), key_lengths.end(), frames) == key_lengths.end() &&
          std::none_of(keys.begin(), keys.end(), is_beside))
        continue;
      const FoundList key = find_list(file, places_around(file, link.path), key_names, {frames});
      if (key.path.empty()) continue;
      const bool is_near = is_beside(key.path);
      if (key.length == frames)
        add(link.path, is_near);
      else if (is_near && (other_length.empty() || is_named(link.path, "data")))
        other_length = link.path;
    }
    // Data derived from the frames may lie in other groups of the same entry, and records of other
    // quantities in the same group.
    prefer(scans, [](const Candidate& scan) { return scan.is_near; });
    prefer(scans, [](const Candidate& scan) { return scan.has_images; });
    prefer(scans, [&](const Candidate& scan) { return is_named(scan.data, "data"); });
  }
  if (scans.empty() && !other_length.empty()) return other_length;
  if (scans.empty())
    for (const std::string& group : definitions)
      for (const char* place :
           {"/data/data", "/instrument/detector/data", "/instrument/sample/data"})
        if (const std::string data = group + place; file.has(data) && may_hold_frames(file, data)) {
          add(data, true);
          break;
        }
  if (scans.size() > 1) fail_with_several(file, scans);
  return scans.empty() ? "" : scans.front().data;
}

void find_image_key(const Hdf5File& file, const std::string& data, hsize_t frames,
                    const std::string& image_key, Hdf5ScanPaths& paths) {
  if (image_key == "none") return;
  FoundList key;
  if (image_key == "auto") {
    key = find_list(file, places_around(file, data), key_names, {frames});
    if (key.path.empty()) return;
  } else {
    key.path = absolute(image_key);
    const auto length = file.list_length(key.path);
    if (length)
      key.length = *length;
    else
      file.open(key.path, 1, &key.length);  // says what is wrong
  }
  if (key.length != frames)
    file.fail(key.path, text("has {} values, but {} has {} frames; one value for each frame is "
                             "needed (image_key: none takes all frames as views)",
                             key.length, data, frames));
  paths.image_key = key.path;
  const std::string control = hdf5_path_in(hdf5_group_of(key.path), "image_key_control");
  if (control != key.path && file.has(control) && file.list_length(control) == frames)
    paths.control = control;
}

FrameData::FrameData(const Hdf5File& file, std::string path, const AxisOrder& order)
    : name_(std::move(path)) {
  const auto shape = file.shape(name_);
  const int rank = shape && shape->size() == 2 ? 2 : 3;
  std::array<hsize_t, 3> extents{};
  dataset_ = file.open(name_, rank, extents.data());
  const auto complete = complete_order(order, static_cast<std::size_t>(rank));
  if (!complete)
    file.fail(name_,
              text("has {} dimensions, but the order of its axes names {}", rank, order.size()));
  shape_.assign(extents.begin(), extents.begin() + rank);
  order_ = *complete;
}

FrameData FrameData::one_frame(const Hdf5File& file, std::string path) {
  FrameData frame(file, std::move(path), {ScanAxis::views, ScanAxis::detectors});
  frame.order_ = {ScanAxis::rows, ScanAxis::detectors};
  return frame;
}

std::size_t FrameKinds::count(FrameKind kind) const {
  if (kinds.empty()) return kind == FrameKind::view ? static_cast<std::size_t>(frames) : 0;
  return static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), kind));
}

std::vector<Hdf5Frames> FrameKinds::runs(FrameKind kind) const {
  std::vector<Hdf5Frames> result;
  if (kinds.empty() && kind == FrameKind::view && frames > 0) result.push_back({0, frames});
  for (std::size_t f = 0; f < kinds.size(); ++f) {
    if (kinds[f] != kind) continue;
    if (f > 0 && kinds[f - 1] == kind)
      ++result.back().count;
    else
      result.push_back({f, 1});
  }
  return result;
}

FrameKinds read_frame_kinds(const Hdf5File& file, const Hdf5ScanPaths& paths, hsize_t frames) {
  FrameKinds list{frames, {}};
  if (paths.image_key.empty()) return list;
  const auto read = [&](const std::string& name) {
    const std::vector<double> key = file.read_list(name, true);
    for (std::size_t f = 0; f < key.size(); ++f)
      if (!(key[f] >= -1 && key[f] <= 3 && key[f] == std::floor(key[f])))
        file.fail(name, text("value {} (counted from 0) is {}; expected 0 (view), 1 (flat), 2 "
                             "(dark), 3 (invalid) or -1 (alignment)",
                             f, std::to_string(key[f])));
    return key;
  };
  for (const double key : read(paths.image_key))
    list.kinds.push_back(key < 0 ? FrameKind::invalid : static_cast<FrameKind>(key));
  // Alignment frames show the object again after the scan; image_key calls them views.
  if (!paths.control.empty()) {
    const std::vector<double> control = read(paths.control);
    for (std::size_t f = 0; f < control.size(); ++f)
      if (control[f] < 0 || control[f] == 3) list.kinds[f] = FrameKind::invalid;
  }
  return list;
}

Hdf5ScanPaths find_hdf5_scan(const Hdf5File& file, const Hdf5Layout& layout) {
  constexpr const char* dxchange = "/exchange/data";
  Hdf5ScanPaths paths;
  const bool is_searched = layout.dataset == "auto";
  if (!is_searched)
    paths.data = absolute(layout.dataset);
  else if (file.has(dxchange))
    paths.data = dxchange;
  else
    paths.data = find_nxtomo_data(file, layout.order);
  if (paths.data.empty()) {
    const std::string others = file.datasets();
    throw InputError(
        file.path() + ": dataset " + dxchange +
        ": is missing, and the file has no NXtomo scan, which has a dataset image_key" +
        (others.empty() ? ""
                        : "; the file holds " + others + ", of which one may be named as dataset"));
  }
  const hsize_t frames = FrameData(file, paths.data, layout.order).lengths().views;
  find_image_key(file, paths.data, frames, layout.image_key, paths);

  const std::vector<Place> places = places_around(file, paths.data);
  const Names own = groups_of(file, paths.data);
  std::vector<Place> near;
  for (const std::string& group : own) near.push_back({group, {group}});
  const auto may_be_field = [&](const std::string& path) {
    if (!file.has(path)) return false;
    const auto shape = file.shape(path);
    // Some programs write fields without frames where none were taken.
    return !shape || std::find(shape->begin(), shape->end(), hsize_t{0}) == shape->end();
  };
  const auto first_dataset = [&](const char* name, const char* detector) -> std::string {
    for (const std::string& group : own)
      if (const std::string path = hdf5_path_in(group, name); may_be_field(path)) return path;
    // The first version of NXtomo has detectors of their own for the fields.
    for (const Place& place : places)
      for (const std::string& group : place.groups)
        if (group.ends_with(std::string("/") + detector))
          if (const std::string path = hdf5_path_in(group, "data"); may_be_field(path)) return path;
    return "";
  };
  if (layout.needs_white) paths.white = first_dataset("data_white", "bright_field");
  if (layout.needs_dark) paths.dark = first_dataset("data_dark", "dark_field");
  const std::string around = sought_in(places), beside = sought_in(near);
  paths.sought_fields = "image_key in " + around + "; data_white in " + beside;
  paths.sought_theta = "theta in " + beside + "; rotation_angle in " + around;

  if (!layout.needs_angles) return paths;
  paths.theta = find_list(file, near, {"theta"}, {frames}).path;
  if (paths.theta.empty())  // not a list of numbers, which is refused when it is read
    for (const std::string& group : own)
      if (const std::string path = hdf5_path_in(group, "theta"); file.has(path)) paths.theta = path;
  if (!paths.theta.empty()) return paths;
  // Without an image_key, an angle for each frame of something else may lie in the entry.
  hsize_t views = frames;
  if (!paths.image_key.empty())
    views = read_frame_kinds(file, paths, frames).count(FrameKind::view);
  const FoundList angles = find_list(file, places, {"rotation_angle"}, {frames, views});
  const bool fits = angles.length == frames || angles.length == views;
  const bool is_near = std::find(own.begin(), own.end(), hdf5_group_of(angles.path)) != own.end();
  if (fits || is_near || !paths.image_key.empty())
    paths.theta = angles.path;
  else if (!angles.path.empty())
    paths.sought_theta +=
        text(" (found {}, which has {} values for {} frames)", angles.path, angles.length, frames);
  return paths;
}

}  // namespace Tomokkos::Impl

#endif
