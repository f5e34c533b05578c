// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effective configuration is accepted when it is read again, and stays the same, with all
// values and without the defaults. `read_back.tsv` lists keys of every form and problems of every
// kind.
#include <gtest/gtest.h>

#include <Tomokkos_YamlFile.hpp>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;

TEST(ReadBack, the_effective_configuration_stays_the_same) {
  const auto rows = Testing::rows_of(Testing::config_tests / "read_back.tsv");
  EXPECT_GE(rows.size(), 200u);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 2u) << Testing::joined(row);
    const std::string name = row[0] + " " + row[1];
    std::string once, twice, short_form;
    try {
      const RunConfig config =
          Testing::configured(Testing::configuration(row[0]), Testing::list_of(row[1]));
      once = to_yaml(to_node(config));
      twice = to_yaml(to_node(Testing::configured(once, {})));
      short_form = to_yaml(to_short_node(config));
      EXPECT_EQ(to_yaml(to_node(Testing::configured(short_form, {}))), once) << name;
    } catch (const Error& error) {
      ADD_FAILURE() << name << ": " << (once.empty() ? "" : "when read again: ") << error.what();
      continue;
    }
    EXPECT_EQ(once, twice) << name;
    EXPECT_LT(short_form.size(), once.size()) << name;
  }
}

}  // namespace
