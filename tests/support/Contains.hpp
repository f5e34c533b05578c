// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expectation about a part of a text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#define EXPECT_CONTAINS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << "in: " << (text)
