// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the output of `--print-config` for every example in configs/ with the files in printed/.
// The comparison shows every key that is added, removed or given another value. After an intended
// change, write the files again:
//   tomokkos run configs/art.yaml --print-config --set run.backend=openmp
// In the files, ROOT stands for the project's folder.
#include <set>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos::Testing;

std::string with_root(std::string text, const std::string& root) {
  for (std::size_t at = text.find(root); at != std::string::npos; at = text.find(root, at))
    text.replace(at, root.size(), "ROOT");
  return text;
}

TEST(ProgramPrinted, examples_are_printed_as_they_were) {
  const std::filesystem::path root = std::filesystem::canonical(project_root());
  const std::filesystem::path printed = root / "tests/drivers/program/printed";
  ProgramOptions from_root;
  from_root.directory = root;
  std::set<std::string> seen;
  for (const auto& entry : std::filesystem::directory_iterator(root / "configs")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    const ProgramResult result = run_program(
        {"run", "configs/" + name, "--print-config", "--set", "run.backend=openmp"}, from_root);
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
  for (const auto& entry : std::filesystem::directory_iterator(printed))
    EXPECT_EQ(seen.count(entry.path().filename().string()), 1u) << entry.path();
}

}  // namespace
