// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks run all tests together. Rank 0 reports as usual, and the others report only failures.
// Every rank ends with the worst status of all ranks. A test must not return early on some ranks
// only (ASSERT_*), because the other ranks would wait for them. An exception ends all ranks.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Tomokkos_MpiSession.hpp>
#include <exception>
#include <iostream>
#include <string>

#include "MpiTesting.hpp"
#include "SelectBody.hpp"

namespace {

class FailuresOfRank : public ::testing::EmptyTestEventListener {
 public:
  explicit FailuresOfRank(int rank) : rank_(rank) {}
  void OnTestStart(const ::testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::cerr << "rank " << rank_ << ": " << test_ << ": "
              << (result.file_name() ? result.file_name() : "") << ":" << result.line_number()
              << ": " << result.message() << std::endl;
  }

 private:
  int rank_;
  std::string test_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!Tomokkos::Testing::select_body(argc, argv)) return 2;
  ::testing::GTEST_FLAG(catch_exceptions) = false;
  Tomokkos::MpiSession session;
  if (session.ranks() == nullptr) {
    std::cerr << "start this test with mpirun\n";
    return 2;
  }
  const Tomokkos::MpiRanks& ranks = *session.ranks();
  Tomokkos::Testing::world = &ranks;
  if (ranks.rank() != 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOfRank(ranks.rank()));
  }
  try {
    Kokkos::ScopeGuard guard(argc, argv);
    return static_cast<int>(ranks.max_of(RUN_ALL_TESTS()));
  } catch (const std::exception& error) {
    std::cerr << "rank " << ranks.rank() << ": " << error.what() << std::endl;
    ranks.abort_all(3);
  }
}
