// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of the CUDA backend, with which every build compares itself.
#include <algorithm>
#include <filesystem>
#include <vector>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

std::vector<std::string> recorded_names() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(project_root() / "tests/records/configurations"))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class ProgramRecords : public ::testing::TestWithParam<std::string> {
 protected:
  std::filesystem::path configuration() const {
    return project_root() / "tests/records/configurations" / (GetParam() + ".yaml");
  }
  std::filesystem::path record() const {
    return project_root() / "tests/records" / (GetParam() + ".yaml");
  }
};

TEST_P(ProgramRecords, of_a_gpu_agree_with_this_build) {
  ASSERT_TRUE(std::filesystem::exists(record()))
      << "make it on a machine with a GPU: tomokkos compare " << configuration().string()
      << " --set run.backend=cuda --record " << record().string();
  EXPECT_EQ(entry(record(), "backend"), "cuda");
  EXPECT_LT(std::filesystem::file_size(record()), 100000U);
  const ProgramResult result =
      run_well({"compare", configuration().string(), "--against", record().string()});
  EXPECT_CONTAINS(result.out, "verdict: the same within rounding");
}

INSTANTIATE_TEST_SUITE_P(Configurations, ProgramRecords, ::testing::ValuesIn(recorded_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
