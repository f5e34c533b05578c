// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the tests find data that does not come with the project.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace Tomokkos::Testing {

/// \brief `$TOMOKKOS_TEST_DATA`, else `../shared/data` beside the project's root.
inline std::filesystem::path test_data_folder() {
  if (const char* folder = std::getenv("TOMOKKOS_TEST_DATA")) return folder;
  std::filesystem::path root = std::filesystem::path(__FILE__).parent_path().parent_path();
  if (const char* source = std::getenv("TOMOKKOS_SOURCE_DIR")) root = source;
  return root / ".." / "shared" / "data";
}

/// \brief A file or folder of the test data, for example `matrices/nos3.mtx`.
inline std::filesystem::path test_data_path(std::string_view relative) {
  return test_data_folder() / relative;
}

/// \brief True when `TOMOKKOS_REQUIRE_TEST_DATA=1` forbids to skip tests.
inline bool test_data_required() {
  const char* value = std::getenv("TOMOKKOS_REQUIRE_TEST_DATA");
  return value != nullptr && std::string_view(value) == "1";
}

/// \brief Why a test is skipped, or the empty text.
inline std::string missing_test_data(std::string_view relative) {
  std::error_code error;
  if (std::filesystem::exists(test_data_path(relative), error)) return {};
  return "skipped: no test data " + test_data_path(relative).string() +
         " (set TOMOKKOS_TEST_DATA to its folder)";
}

}  // namespace Tomokkos::Testing

/// \brief First statement of a test that needs a file or folder of the test data.
#define TOMOKKOS_NEEDS_TEST_DATA(relative)                                                        \
  do {                                                                                            \
    if (const std::string why = ::Tomokkos::Testing::missing_test_data(relative); !why.empty()) { \
      if (::Tomokkos::Testing::test_data_required()) {                                            \
        FAIL() << why << ", but TOMOKKOS_REQUIRE_TEST_DATA=1";                                    \
      }                                                                                           \
      GTEST_SKIP() << why;                                                                        \
    }                                                                                             \
  } while (false)
