// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules for the source tree: which folder may include which, and how many files a folder may hold.
// Each rule is tested on a small tree that breaks it, and all rules on the real tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ProjectRoot.hpp"

namespace {

namespace fs = std::filesystem;
using Texts = std::map<std::string, std::string>;  // texts of files by path
using Complaints = std::vector<std::string>;

constexpr std::size_t most_files = 40;

/// Folders that a folder of the root may include besides itself.
const std::map<std::string, std::set<std::string>> order{
    {"core", {}},
    {"files", {"core"}},
    {"kernels", {"core"}},
    {"mpi", {"core"}},
    {"solvers", {"core", "kernels"}},
    {"meshes", {"core", "kernels", "solvers", "files"}},
    {"problems", {"core", "kernels", "solvers", "files", "meshes"}},
    {"drivers", {"core", "kernels", "solvers", "files", "meshes", "mpi", "problems"}},
    {"bench", {"core", "kernels", "solvers", "files", "meshes", "mpi", "problems", "drivers"}}};

/// Folders of the root whose subfolders may not include each other in a circle. The benchmarks are
/// excluded, because their parts still do.
const std::set<std::string> layered{"core",   "files",    "kernels", "solvers",
                                    "meshes", "problems", "drivers"};

/// Most lines of sources in each folder of the root. A bound is only ever lowered: what enters
/// finds its lines in its own folder, or in another one whose bound falls as far.
const std::map<std::string, std::ptrdiff_t> most_lines{
    {"core", 7970}, {"files", 10510},    {"kernels", 44365}, {"solvers", 19475}, {"meshes", 5055},
    {"mpi", 1235},  {"problems", 12460}, {"drivers", 18530}, {"bench", 13345}};
constexpr std::ptrdiff_t most_lines_of_tests = 69960;

std::string root_folder(const std::string& path) { return path.substr(0, path.find('/')); }

/// Folder of the subject of a file: its own folder, or the parent folder if it is in `impl`.
std::string subject(const std::string& path) {
  fs::path folder = fs::path(path).parent_path();
  if (folder.filename() == "impl") folder = folder.parent_path();
  return folder.generic_string();
}

bool is_private(const std::string& path) {
  return fs::path(path).parent_path().filename() == "impl";
}

struct Include {
  std::string from, to;
};

std::vector<Include> includes_of(const Texts& tree, const Texts& by_name) {
  static const std::regex pattern(R"re(^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"])re",
                                  std::regex::multiline);
  std::vector<Include> includes;
  for (const auto& [path, text] : tree)
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
      const auto to = by_name.find(fs::path((*at)[1].str()).filename().string());
      if (to != by_name.end()) includes.push_back({path, to->second});
    }
  return includes;
}

/// Returns true if a path of arrows leads from `from` to `to`.
bool reaches(const std::map<std::string, std::set<std::string>>& arrows, const std::string& from,
             const std::string& to) {
  std::set<std::string> seen;
  std::vector<std::string> open{from};
  while (!open.empty()) {
    const std::string at = open.back();
    open.pop_back();
    const auto next = arrows.find(at);
    if (next == arrows.end()) continue;
    for (const std::string& folder : next->second) {
      if (folder == to) return true;
      if (seen.insert(folder).second) open.push_back(folder);
    }
  }
  return false;
}

/// Lines of sources in each folder of the root.
std::map<std::string, std::ptrdiff_t> lines_of(const Texts& tree) {
  std::map<std::string, std::ptrdiff_t> lines;
  for (const auto& [path, text] : tree)
    lines[root_folder(path)] += std::count(text.begin(), text.end(), '\n');
  return lines;
}

Complaints complaints_about(const Texts& tree) {
  Complaints complaints;
  Texts by_name;
  std::map<std::string, std::size_t> count;
  for (const auto& [path, text] : tree) {
    if (order.count(root_folder(path)) == 0) complaints.push_back(path + ": in no known folder");
    ++count[subject(path)];
    const std::string name = fs::path(path).filename().string();
    if (name == "main.cpp") continue;
    if (const auto [other, is_new] = by_name.emplace(name, path); !is_new)
      complaints.push_back(path + " and " + other->second +
                           ": headers are included by their names alone, so names are unique");
  }
  for (const auto& [folder, files] : count)
    if (files > most_files)
      complaints.push_back(folder + ": " + std::to_string(files) + " source files; at most " +
                           std::to_string(most_files) + ", cut it by subject");
  for (auto lines = lines_of(tree); const auto& [folder, most] : most_lines)
    if (lines[folder] > most)
      complaints.push_back(folder + ": " + std::to_string(lines[folder]) + " lines; at most " +
                           std::to_string(most));
  std::map<std::string, std::set<std::string>> arrows;
  for (const auto& [from, to] : includes_of(tree, by_name)) {
    const std::string lower = root_folder(to), upper = root_folder(from);
    if (lower == upper) {
      if (subject(from) != subject(to) && layered.count(upper) != 0)
        arrows[subject(from)].insert(subject(to));
      continue;
    }
    const auto allowed = order.find(upper);
    if (allowed != order.end() && allowed->second.count(lower) == 0)
      complaints.push_back(from + " includes " + to + ": " + upper + " may not include " + lower);
    // The program can also be built without meshes.
    if (upper == "drivers" && lower == "meshes" && subject(from) != "drivers/meshes" &&
        fs::path(to).filename() != "Tomokkos_MeshShape.hpp")
      complaints.push_back(from + " includes " + to + ", which drivers/meshes alone may do");
    if (is_private(to))
      complaints.push_back(from + " includes " + to + ", which is private to " + lower);
  }
  for (const auto& [folder, others] : arrows)
    for (const std::string& other : others)
      if (folder < other && reaches(arrows, other, folder))
        complaints.push_back(folder + " and " + other + " include each other in a circle");
  return complaints;
}

void add_sources(const fs::path& root, const std::string& folder, Texts& tree) {
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".hpp" && ending != ".cpp") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    tree[fs::relative(entry.path(), root).generic_string()] = text.str();
  }
}

Texts sources_of_the_project() {
  Texts tree;
  for (const auto& [folder, allowed] : order)
    add_sources(Tomokkos::Testing::project_root(), folder, tree);
  return tree;
}

void expect_complaint(const Texts& tree, const std::string& part) {
  const Complaints complaints = complaints_about(tree);
  ASSERT_EQ(complaints.size(), 1u) << part;
  EXPECT_NE(complaints.front().find(part), std::string::npos) << complaints.front();
}

TEST(Tree, follows_all_rules) {
  const Texts tree = sources_of_the_project();
  EXPECT_GT(tree.size(), 500u);
  for (const std::string& complaint : complaints_about(tree)) ADD_FAILURE() << complaint;
}

TEST(Tree, grows_in_no_folder) {
  expect_complaint({{"mpi/A.cpp", std::string(2000, '\n')}}, "mpi: 2000 lines; at most ");
}

/// A bound that is far above the lines of its folder bounds nothing.
TEST(Tree, bounds_of_lines_are_tight) {
  Texts tree = sources_of_the_project();
  add_sources(Tomokkos::Testing::project_root(), "tests", tree);
  auto lines = lines_of(tree);
  auto bounds = most_lines;
  bounds["tests"] = most_lines_of_tests;
  EXPECT_LE(lines["tests"], most_lines_of_tests);
  for (const auto& [folder, most] : bounds)
    EXPECT_GE(lines[folder] + std::max<std::ptrdiff_t>(500, most / 50), most)
        << folder << ": lower its bound";
}

TEST(Tree, includes_point_to_lower_layers) {
  const std::string error = "#include <A.hpp>\n";
  EXPECT_TRUE(complaints_about({{"core/base/A.hpp", ""}, {"kernels/csr/B.hpp", error}}).empty());
  EXPECT_TRUE(
      complaints_about({{"drivers/program/A.hpp", ""}, {"bench/command/B.cpp", error}}).empty());
  expect_complaint({{"kernels/csr/A.hpp", ""}, {"core/base/B.hpp", error}},
                   "core may not include kernels");
  expect_complaint({{"files/arrays/A.hpp", ""}, {"solvers/loop/B.cpp", "  # include \"A.hpp\"\n"}},
                   "solvers may not include files");
  expect_complaint({{"bench/peers/A.hpp", ""}, {"drivers/program/B.cpp", error}},
                   "drivers may not include bench");
  expect_complaint({{"tools/A.hpp", ""}}, "in no known folder");
  expect_complaint({{"meshes/files/A.hpp", ""}, {"drivers/program/B.hpp", error}},
                   "which drivers/meshes alone may do");
  EXPECT_TRUE(
      complaints_about({{"meshes/files/A.hpp", ""}, {"drivers/meshes/B.hpp", error}}).empty());
}

TEST(Tree, private_headers_stay_private) {
  const std::string text = "#include <impl/A.hpp>\n";
  EXPECT_TRUE(
      complaints_about({{"kernels/csr/impl/A.hpp", ""}, {"kernels/pairs/B.cpp", text}}).empty());
  expect_complaint({{"kernels/csr/impl/A.hpp", ""}, {"solvers/loop/B.cpp", text}},
                   "which is private to kernels");
}

TEST(Tree, folders_hold_one_subject) {
  Texts tree;
  for (std::size_t i = 0; i < most_files; ++i)
    tree["core/base/" + std::string(i % 2 == 0 ? "impl/" : "") + std::to_string(i) + ".hpp"] = "";
  EXPECT_TRUE(complaints_about(tree).empty());
  tree["core/base/one_more.cpp"] = "";
  expect_complaint(tree, "core/base: 41 source files");
  expect_complaint({{"core/base/A.hpp", ""}, {"kernels/csr/A.hpp", ""}}, "names are unique");
}

TEST(Tree, folders_do_not_include_each_other_in_a_circle) {
  expect_complaint({{"core/base/A.hpp", "#include <B.hpp>\n"},
                    {"core/matrix/B.hpp", ""},
                    {"core/matrix/C.hpp", "#include <A.hpp>\n"}},
                   "core/base and core/matrix include each other in a circle");
  // The circle may pass through a third folder.
  EXPECT_FALSE(complaints_about({{"core/base/A.hpp", "#include <B.hpp>\n"},
                                 {"core/matrix/B.hpp", "#include <C.hpp>\n"},
                                 {"core/ranks/C.hpp", ""},
                                 {"core/ranks/D.hpp", "#include <A.hpp>\n"}})
                   .empty());
}

}  // namespace
