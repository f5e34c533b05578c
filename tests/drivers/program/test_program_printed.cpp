// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the output of `--print-config` for every example in configs/ with the files in printed/,
// and that of `--print-config --all` with the files in printed/all/, one for each kind of problem.
// After an intended change, write the files again:
//   tomokkos run configs/art.yaml --print-config --set run.backend=
//   tomokkos run configs/quickstart.yaml --print-config --all --set run.backend=openmp
// In the files, ROOT stands for the project's folder.
#include <Tomokkos_RunConfig.hpp>
#include <set>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos::Testing;

std::string with_root(std::string text, const std::string& root) {
  for (std::size_t at = text.find(root); at != std::string::npos; at = text.find(root, at))
    text.replace(at, root.size(), "ROOT");
  return text;
}

const std::filesystem::path root = std::filesystem::canonical(project_root());
const std::filesystem::path printed = root / "tests/drivers/program/printed";

ProgramResult print(const std::string& name, std::vector<std::string> options) {
  ProgramOptions from_root;
  from_root.directory = root;
  options.insert(options.begin(), {"run", "configs/" + name, "--print-config"});
  return run_program(options, from_root);
}

TEST(ProgramPrinted, examples_are_printed_as_they_were) {
  std::set<std::string> seen;
  for (const auto& entry : std::filesystem::directory_iterator(root / "configs")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    const ProgramResult result = print(name, {"--set", "run.backend="});
    if (!std::filesystem::exists(printed / name)) {
      // Configurations for the benchmarks have no problem to run.
      EXPECT_EQ(result.status, 2);
      EXPECT_CONTAINS(result.error, "problem.type: is required");
      continue;
    }
    seen.insert(name);
    ASSERT_EQ(result.status, 0) << result.error;
    EXPECT_EQ(with_root(result.out, root.string()), read_bytes(printed / name));
  }
  for (const auto& entry : std::filesystem::directory_iterator(printed)) {
    if (entry.is_directory()) continue;
    EXPECT_EQ(seen.count(entry.path().filename().string()), 1u) << entry.path();
  }
}

TEST(ProgramPrinted, one_example_of_each_kind_is_printed_with_all_keys) {
  std::set<std::string> kinds;
  for (const auto& entry : std::filesystem::directory_iterator(printed / "all")) {
    const std::string name = entry.path().filename().string();
    const ProgramResult result = print(name, {"--all", "--set", "run.backend=openmp"});
    ASSERT_EQ(result.status, 0) << result.error;
    EXPECT_EQ(with_root(result.out, root.string()), read_bytes(entry.path())) << name;
    const std::size_t begin = result.out.find("  type: ");
    kinds.insert(result.out.substr(begin, result.out.find('\n', begin) - begin));
  }
  EXPECT_EQ(kinds.size(), Tomokkos::EnumNames<Tomokkos::ProblemKind>::names.size());
}

}  // namespace
