// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <functional>
#include <string>

namespace Tomokkos::Testing {

/// Returns the message of the error that a call throws; empty if it throws none.
inline std::string complaint_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Expects a part of a text.
#define EXPECT_CONTAINS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << "in: " << (text)

#define EXPECT_COMPLAINT(call, part) \
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, complaint_of([&] { call; }))

}  // namespace Tomokkos::Testing
