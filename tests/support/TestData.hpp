// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locations of test data from other projects: in tests/data or, if they are too large, in
// `$TOMOKKOS_TEST_DATA`. tests/data/README.md names sources and licences of both.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ProjectRoot.hpp"

namespace Tomokkos::Testing {

/// \brief Path of a file or folder of the test data, for example `matrices/nos3.mtx`, which may be
/// compressed as `matrices/nos3.mtx.gz`. If it is missing, the path where it should be.
inline std::filesystem::path test_data_path(std::string_view relative) {
  std::vector<std::filesystem::path> folders{project_root() / "tests" / "data"};
  if (const char* further = std::getenv("TOMOKKOS_TEST_DATA")) folders.emplace_back(further);
  std::error_code error;
  for (const auto& folder : folders)
    for (const char* ending : {"", ".gz"}) {
      const std::filesystem::path path = folder / (std::string(relative) + ending);
      if (std::filesystem::exists(path, error)) return path;
    }
  return folders.front() / relative;
}

/// \brief Returns true if `TOMOKKOS_REQUIRE_TEST_DATA=1` forbids skipping tests.
inline bool test_data_required() {
  const char* value = std::getenv("TOMOKKOS_REQUIRE_TEST_DATA");
  return value != nullptr && std::string_view(value) == "1";
}

/// \brief Returns the reason why a test is skipped; empty if the data exist.
inline std::string missing_test_data(std::string_view relative) {
  std::error_code error;
  if (std::filesystem::exists(test_data_path(relative), error)) return {};
  return "skipped: no test data " + test_data_path(relative).string() +
         " (set TOMOKKOS_TEST_DATA to a folder that holds it, see tests/data/README.md)";
}

}  // namespace Tomokkos::Testing

/// \brief Skips a test that needs a file or folder of the test data if it is missing. Use it as the
/// first statement.
#define TOMOKKOS_NEEDS_TEST_DATA(relative)                                                        \
  do {                                                                                            \
    if (const std::string why = ::Tomokkos::Testing::missing_test_data(relative); !why.empty()) { \
      if (::Tomokkos::Testing::test_data_required()) {                                            \
        FAIL() << why << ", but TOMOKKOS_REQUIRE_TEST_DATA=1";                                    \
      }                                                                                           \
      GTEST_SKIP() << why;                                                                        \
    }                                                                                             \
  } while (false)
