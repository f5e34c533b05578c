// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What errors are called that name the function in which they arise.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <vector>

namespace Tomokkos::Naming {

template <class T>
struct Holder {
  explicit Holder(bool good) { require(good, "made badly"); }
  template <class U>
  std::vector<std::vector<T>> use(const std::vector<U>& values) const {
    require_equal("length", static_cast<long long>(values.size()), "the one", 1);
    return {};
  }
  const T& operator()(int i) const {
    require(i > 0, "not above");
    return value;
  }
  T value{};
};

void plain() { require(false, "plainly"); }
void in_lambda() {
  [](auto x) { require(x > 0, "within"); }(0);
}

template <class Error, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Errors, NameTheFunctionWithoutItsTypes) {
  EXPECT_EQ(message_of<Error>(plain), "Tomokkos::Naming::plain: plainly");
  EXPECT_EQ(message_of<Error>([] { Holder<std::vector<int>> a(false); }),
            "Tomokkos::Naming::Holder::Holder: made badly");
  EXPECT_EQ(message_of<DimensionMismatch>([] { Holder<double>(true).use(std::vector<float>(3)); }),
            "Tomokkos::Naming::Holder::use: length is 3, but the one is 1");
  EXPECT_EQ(message_of<Error>([] { Holder<int>(true)(0); }),
            "Tomokkos::Naming::Holder::operator: not above");
  EXPECT_EQ(message_of<Error>(in_lambda), "Tomokkos::Naming::in_lambda: within");
}

TEST(Errors, NumbersHaveSixDigits) {
  EXPECT_EQ(describe_number(1e-9), "1e-09");
  EXPECT_EQ(describe_number(0.25), "0.25");
  EXPECT_EQ(describe_number(1234567), "1.23457e+06");
}

}  // namespace Tomokkos::Naming
