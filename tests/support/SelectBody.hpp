// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executable holds the test bodies of many files. `--body=NAME` runs those of test_NAME.hpp or
// test_NAME.cpp.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

namespace Tomokkos::Testing {

/// Restricts GoogleTest to the tests of the file named by the argument `--body=NAME`, if there is
/// one. Call it after `InitGoogleTest`.
///
/// \return false, with a message, if the file has no test, or if a test is in a file that no
/// `--body` can name and would therefore never run.
inline bool select_body(int argc, char** argv) {
  constexpr std::string_view option = "--body=", prefix = "test_";
  std::string_view body;
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with(option))
      body = std::string_view(argv[i]).substr(option.size());
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  std::string filter;
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const ::testing::TestInfo& test = *suite.GetTestInfo(t);
      const std::string name = std::string(suite.name()) + "." + test.name();
      const std::string file = std::filesystem::path(test.file()).stem().string();
      if (!file.starts_with(prefix)) {
        std::cerr << name << " is in " << test.file()
                  << ", but only files whose names begin with test_ are run\n";
        return false;
      }
      if (std::string_view(file).substr(prefix.size()) == body) filter += name + ":";
    }
  }
  if (body.empty()) return true;
  if (filter.empty()) {
    std::cerr << "there is no test in test_" << body << ".hpp or test_" << body << ".cpp\n";
    return false;
  }
  ::testing::GTEST_FLAG(filter) = filter;
  return true;
}

}  // namespace Tomokkos::Testing
