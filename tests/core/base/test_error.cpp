// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of errors, and the names of the functions that throw them.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <type_traits>
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

struct Caught {
  std::string message, function;
  bool operator==(const Caught&) const = default;
};

template <class Error, class Action>
Caught caught_from(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.what(), error.function()};
  }
  return {"nothing", ""};
}

TEST(Errors, keep_the_function_out_of_the_message) {
  EXPECT_EQ(caught_from<Error>(plain), (Caught{"plainly", "Tomokkos::Naming::plain"}));
  EXPECT_EQ(caught_from<Error>([] { Holder<std::vector<int>> a(false); }),
            (Caught{"made badly", "Tomokkos::Naming::Holder::Holder"}));
  EXPECT_EQ(caught_from<DimensionMismatch>([] { Holder<double>(true).use(std::vector<float>(3)); }),
            (Caught{"length is 3, but the one is 1", "Tomokkos::Naming::Holder::use"}));
  EXPECT_EQ(caught_from<Error>([] { Holder<int>(true)(0); }),
            (Caught{"not above", "Tomokkos::Naming::Holder::operator"}));
  EXPECT_EQ(caught_from<Error>(in_lambda), (Caught{"within", "Tomokkos::Naming::in_lambda"}));
  EXPECT_EQ(caught_from<Error>([] { throw InputError("unreadable"); }), (Caught{"unreadable", ""}));
}

TEST(Errors, refusals_differ_from_errors_of_shapes_files_and_memory) {
  EXPECT_THROW(plain(), Refused);
  EXPECT_THROW(Holder<int>(true)(0), Refused);
  static_assert(std::is_base_of_v<Error, Refused>);
  static_assert(!std::is_base_of_v<Refused, DimensionMismatch>);
  static_assert(!std::is_base_of_v<Refused, InputError>);
  static_assert(!std::is_base_of_v<Refused, ConfigError>);
  static_assert(!std::is_base_of_v<Refused, OutputError>);
  static_assert(!std::is_base_of_v<Refused, MemoryError>);
}

TEST(Errors, numbers_have_six_digits) {
  EXPECT_EQ(describe_number(1e-9), "1e-09");
  EXPECT_EQ(describe_number(0.25), "0.25");
  EXPECT_EQ(describe_number(1234567), "1.23457e+06");
}

}  // namespace Tomokkos::Naming
