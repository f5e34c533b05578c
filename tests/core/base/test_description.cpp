// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions keep the types of values and the order of entries.
#include <gtest/gtest.h>

#include <Tomokkos_Description.hpp>
#include <array>

using Tomokkos::Description;
using Value = Description::Value;

namespace {

enum class Colour { red, green };

}  // namespace

template <>
struct Tomokkos::EnumNames<Colour> {
  static constexpr std::array<std::pair<Colour, std::string_view>, 2> names{
      {{Colour::red, "red"}, {Colour::green, "green"}}};
};

namespace {

TEST(Description, a_value_keeps_its_type) {
  EXPECT_EQ(Description(true).value(), Value(true));
  EXPECT_EQ(Description(7).value(), Value(std::int64_t{7}));
  EXPECT_EQ(Description(std::size_t{1} << 40).value(), Value(std::int64_t{1} << 40));
  EXPECT_EQ(Description(0.5F).value(), Value(0.5));
  EXPECT_EQ(Description("text").value(), Value(std::string("text")));
  EXPECT_EQ(Description(std::string_view("view")).value(), Value(std::string("view")));
  EXPECT_EQ(Description(Colour::green).value(), Value(std::string("green")));
  EXPECT_EQ(Description(std::optional<int>(3)).value(), Value(std::int64_t{3}));
  EXPECT_TRUE(Description(std::optional<int>()).is_empty());
  EXPECT_TRUE(Description().is_empty());
  EXPECT_FALSE(Description(false).is_empty());
}

TEST(Description, a_list_has_an_entry_for_each_item) {
  const Description list(std::array{1.5, 2.5});
  ASSERT_EQ(list.kind(), Description::Kind::list);
  EXPECT_TRUE(list.is_on_one_line());
  ASSERT_EQ(list.items().size(), 2U);
  EXPECT_EQ(list.items()[1].value(), Value(2.5));
  EXPECT_TRUE(Description(std::vector<int>()).items().empty());
  EXPECT_FALSE(Description(std::vector<int>()).is_empty());
}

TEST(Description, a_map_keeps_the_order_of_its_names) {
  Description map = Description::map().set("b", 1).set("a", 2).set("b", 3);
  EXPECT_EQ(map.names(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(map.find("b")->value(), Value(std::int64_t{3}));
  EXPECT_EQ(map.find("c"), nullptr);
  map.set_if("c", std::optional<double>()).set_if("d", std::optional<double>(1));
  EXPECT_EQ(map.find("c"), nullptr);
  ASSERT_NE(map.find("d"), nullptr);
  map.set_all(Description::map().set("a", "new").set("e", Description::map(true)));
  EXPECT_EQ(map.names(), (std::vector<std::string>{"b", "a", "d", "e"}));
  EXPECT_EQ(map.find("a")->value(), Value(std::string("new")));
  EXPECT_EQ(map.find("e")->kind(), Description::Kind::map);
}

}  // namespace
