// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include "SelectBody.hpp"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!Tomokkos::Testing::select_body(argc, argv)) return 2;
  Kokkos::ScopeGuard guard(argc, argv);
  return RUN_ALL_TESTS();
}
