// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// YAML as plain data, `--set`, typed access, and what errors say.
#include <gtest/gtest.h>

#include <Tomokkos_ConfigPlaces.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;

ConfigNode parse(const std::string& text) { return Testing::parse(text, "/data/scans"); }

template <class Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "(no error)";
}

std::string parse_error(const std::string& text) {
  return message_of([&] { parse(text); });
}

#define EXPECT_CONTAINS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << "in: " << (text)

TEST(ConfigNode, WritesWhatReadsBackTheSame) {
  for (const char* text :
       {"a: 1\n", "a: [1, {b: 2}]\n", "c:\n  d: \"180\"\n  e: 180 deg\n",
        "f:\n  - x\n  - y: 1\n    z: 'a: b'\n", "g: \"line\\nbreak\\t\\\"quoted\\\"\"\n", "h: ''\n",
        "i: \"null\"\n", "j: [true, \"true\", ~, 1e5, -3]\n", "k: \"#x\"\n", "l: \"- x\"\n"}) {
    const std::string once = to_yaml(parse(text));
    EXPECT_EQ(to_yaml(parse(once)), once) << text;
  }
}

TEST(ConfigNode, NumbersKeepAllTheirBits) {
  for (const double value : {0.1, 1.0 / 3.0, 1e-300, -0.0, 6.02214076e23, 123456789.0}) {
    const auto back = as_number(parse("x: " + ConfigNode::number(value).scalar()).find("x")[0]);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, value);
    EXPECT_EQ(std::signbit(*back), std::signbit(value));
  }
}

TEST(ConfigNode, TextsThatLookLikeOtherThingsAreQuoted) {
  for (const char* text :
       {"1",    "1e5", "true", "null", "~",  "",   " x", "a: b", "a #b", "- x", "[x",
        "x, y", "*x",  "&x",   "!x",   "%x", "@x", "\"", "'",    ".inf", "no"}) {
    ConfigNode map = ConfigNode::map();
    map.set("key", ConfigNode::text(text));
    const ConfigNode back = parse(to_yaml(map));
    ASSERT_TRUE(back.find("key")->is_scalar()) << text;
    EXPECT_EQ(back.find("key")->scalar(), text);
    EXPECT_FALSE(as_number(*back.find("key")).has_value()) << text;
  }
}

TEST(Yaml, RefusesWhatIsNoConfiguration) {
  EXPECT_CONTAINS(parse_error("a: [1"), "f.yaml:1:");
  EXPECT_CONTAINS(parse_error("a: [1"), "not valid YAML");
  EXPECT_CONTAINS(parse_error("a: b: c"), "not valid YAML");
  EXPECT_CONTAINS(parse_error("a: {b: *none}"), "anchor is not defined");
  EXPECT_CONTAINS(parse_error("x: 0\na: 1\na: 2\n"), "f.yaml:3:1: duplicate key \"a\"");
  EXPECT_CONTAINS(parse_error("x: 0\na: 1\na: 2\n"), "f.yaml:2:1");
  EXPECT_CONTAINS(parse_error("a: {b: 1, b: 2}"), "duplicate key \"b\"");
  EXPECT_CONTAINS(parse_error("a: 1\n---\nb: 2\n"), "f.yaml:3:1: a second document");
  // Where it is opened is not known, only that it does not end.
  for (const char* quote : {"\"", "'"})
    EXPECT_CONTAINS(parse_error("a: " + std::string(quote) + "open\nb: 1\n"),
                    "a quote is opened before this line and not closed");
  EXPECT_CONTAINS(parse_error("? [1, 2]\n: 3\n"), "a key must be a word");
}

TEST(Yaml, AliasesAreExpandedAndBounded) {
  const ConfigNode node = parse("base: &b {x: 1, y: 2}\nplain: *b\nmerged: {<<: *b, y: 3}\n");
  EXPECT_EQ(node.find("plain")->find("x")->scalar(), "1");
  EXPECT_EQ(node.find("merged")->find("x")->scalar(), "1");
  EXPECT_EQ(node.find("merged")->find("y")->scalar(), "3");
  EXPECT_CONTAINS(parse_error("a: &a [*a]"), "does an alias contain itself");
  // Ten levels of ten aliases each: ten thousand million values.
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string name = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + name;
    for (int j = 1; j < 10; ++j) bomb += ", " + name;
    bomb += "]\n";
  }
  EXPECT_CONTAINS(parse_error(bomb), "counting aliases");
}

TEST(Settings, ReplaceAndAdd) {
  ConfigNode root = parse("problem: {views: 90, size: [1, 2]}\n");
  apply_setting(root, "problem.views=180");
  apply_setting(root, "solver.stop.residual=1e-3");
  apply_setting(root, "problem.size=[3, 4]");
  EXPECT_EQ(to_yaml(root),
            "problem:\n  views: 180\n  size: [3, 4]\nsolver:\n  stop:\n    residual: 1e-3\n");
  ConfigNode empty;
  apply_setting(empty, "a.b=c");
  EXPECT_EQ(to_yaml(empty), "a:\n  b: c\n");
}

TEST(Settings, ErrorsNameTheSetting) {
  const auto error = [](const char* setting) {
    return message_of([&] {
      ConfigNode root = parse("problem: {views: 90}\n");
      apply_setting(root, setting);
    });
  };
  EXPECT_CONTAINS(error("views"), "--set views: expected key.path=value");
  EXPECT_CONTAINS(error("=1"), "expected key.path=value");
  EXPECT_CONTAINS(error("a..b=1"), "an empty key");
  EXPECT_CONTAINS(error("a=[1"), "--set a=[1: not valid YAML");
  EXPECT_CONTAINS(error("problem.views.x=1"), "problem.views is \"90\" at f.yaml:1:18, not a map");

  ConfigNode root = parse("problem: {views: 90}\n");
  apply_setting(root, "problem.views=none");
  const ConfigReader reader(root, "", {"problem"});
  EXPECT_CONTAINS(
      message_of([&] { reader.section("problem", {"views"}).integer("views", 1, 1, 9); }),
      "--set problem.views=none: problem.views: expected a whole number from 1 to 9, "
      "found \"none\"");
}

TEST(Settings, PathsAreRelativeToTheWorkingDirectory) {
  ConfigNode root = parse("a: x.npy\nb: x.npy\n");
  apply_setting(root, "b=x.npy");
  const ConfigReader reader(root, "", {"a", "b"});
  EXPECT_EQ(reader.file("a"), "/data/scans/x.npy");
  EXPECT_EQ(reader.file("b"), std::filesystem::current_path() / "x.npy");
}

TEST(ConfigReader, UnknownKeysNameThePlaceAndTheNearestKey) {
  const ConfigNode root = parse("problem:\n  geometri: {}\n");
  const ConfigReader reader(root, "", {"problem"});
  const std::string message = message_of([&] {
    reader.section("problem", {"type", "geometry", "volume"});
  });
  EXPECT_EQ(message,
            "f.yaml:2:3: problem.geometri: unknown key; did you mean \"geometry\"? "
            "allowed here: type, geometry, volume");
  EXPECT_CONTAINS(message_of([&] { reader.section("problem", {"abc"}); }),
                  "unknown key; allowed here: abc");
}

TEST(ConfigReader, TypesAndRanges) {
  const ConfigNode root = parse(
      "word: abc\nlist: [1]\nmap: {x: 1}\nquoted: \"12\"\nnan: .nan\ninf: .inf\nbig: 1e400\n"
      "huge: 99999999999999999999\nhalf: 0.5\nten: 10\nexp: 1e6\nyes: yes\nplus: +3\nempty:\n");
  const ConfigReader reader(root, "",
                            {"word", "list", "map", "quoted", "nan", "inf", "big", "huge", "half",
                             "ten", "exp", "yes", "plus", "empty"});
  EXPECT_EQ(reader.integer("ten", 0, 0, 10), 10);
  EXPECT_EQ(reader.integer("exp", 0, 0, 10000000), 1000000);
  EXPECT_EQ(reader.integer("plus", 0, 0, 10), 3);
  EXPECT_EQ(reader.integer("empty", 7, 0, 10), 7);
  EXPECT_FALSE(reader.has("empty"));
  EXPECT_EQ(reader.number("half", 0), 0.5);
  for (const char* key : {"word", "list", "map", "quoted", "half", "nan", "yes"}) {
    const std::string message = message_of([&] { reader.integer(key, 0, 0, 9); });
    EXPECT_CONTAINS(message, std::string(key) + ": expected a whole number from 0 to 9, found");
  }
  for (const char* key : {"word", "list", "map", "quoted", "yes"})
    EXPECT_CONTAINS(message_of([&] { reader.number(key, 0); }), "expected a number, found");
  for (const char* key : {"nan", "inf", "big"})
    EXPECT_CONTAINS(message_of([&] { reader.number(key, 0); }), "is not a finite number");
  EXPECT_CONTAINS(message_of([&] { reader.integer("huge", 0, 0, 9); }), "is out of range");
  EXPECT_CONTAINS(message_of([&] { reader.integer("ten", 0, 0, 9); }),
                  "f.yaml:10:6: ten: 10 is out of range; expected a whole number from 0 to 9");
  EXPECT_CONTAINS(message_of([&] {
                    reader.number("half", 0, {1.0, 2.0});
                  }),
                  "0.5 is out of range; expected a number of at least 1 and at most 2");
  EXPECT_CONTAINS(message_of([&] { reader.boolean("yes", false); }), "expected true or false");
  EXPECT_CONTAINS(message_of([&] { reader.string("list"); }), "expected a text, found a list");
  EXPECT_CONTAINS(message_of([&] {
                    reader.section("word", {"x", "y"});
                  }),
                  "word: expected a map (keys: x, y), found \"abc\"");
  EXPECT_CONTAINS(message_of([&] {
                    reader.one_of("word", "", {"abd", "xyz"});
                  }),
                  "unknown name \"abc\"; did you mean \"abd\"? allowed: abd, xyz");
  EXPECT_CONTAINS(message_of([&] { reader.require_key("empty", "for example 3"); }),
                  "empty: is required; for example 3");
}

TEST(ConfigReader, AKeyThatIsNotDeclaredIsAnErrorOfTheProgram) {
  const ConfigNode root = parse("a: 1\n");
  const ConfigReader reader(root, "", {"a"});
  EXPECT_THROW(reader.has("b"), Error);
}

TEST(ConfigPlaces, AreToldOfTheKeyThatAMessageBeginsWith) {
  const ConfigNode root = parse("problem:\n  noise: {counts: 1}\nrun: 3\n");
  const std::string name = root.position.source->name;
  for (const auto& [message, place] : std::vector<std::pair<std::string, std::string>>{
           {"problem.noise: too loud", ":2:10: "},
           {"problem.noise.counts: too many: 1", ":2:19: "},
           {"problem.noise.type: is missing", ":2:10: "},
           {"problem.mask: a.npy: cannot be read", ":2:3: "},
           {"problem: no data", ":2:3: "},
           {"run.seed: is one", ":3:6: "}})
    EXPECT_EQ(with_place(root, message), name + place + message);
  for (const char* message :
       {"solver.type: is not there", "scan.yaml:2:10: problem.noise: too loud", "sirt: no sums",
        "--set problem.noise=1: problem.noise: too loud", "problem.noise", "", ": ", "problem..: a",
        "/data/problem.noise: cannot be read", "problem.noise\n: a"})
    EXPECT_EQ(with_place(root, message), message);
}

TEST(ConfigPlaces, KeepTheTypeOfAnError) {
  const ConfigNode root = parse("problem:\n  noise: {counts: 1}\n");
  const auto telling = [&](const auto& error) {
    telling_places(root, [&]() -> int { throw error; });
  };
  const char* message = "problem.noise: a";
  EXPECT_THROW(telling(ConfigError(message)), ConfigError);
  EXPECT_THROW(telling(InputError(message)), InputError);
  EXPECT_THROW(telling(DimensionMismatch(message)), DimensionMismatch);
  EXPECT_THROW(telling(MemoryError(message)), MemoryError);
  EXPECT_THROW(telling(OutputError(message)), OutputError);
  EXPECT_THROW(telling(3), int);
  EXPECT_CONTAINS(message_of([&] { telling(ConfigError(message)); }), ":2:10: problem.noise: a");
  EXPECT_EQ(telling_places(root, [] { return 7; }), 7);
}

TEST(NearestName, ForgivesSlipsOnly) {
  const std::vector<std::string_view> names{"iterations", "relaxation", "stop"};
  EXPECT_EQ(nearest_name("iteration", names), "iterations");
  EXPECT_EQ(nearest_name("relaxtion", names), "relaxation");
  EXPECT_EQ(nearest_name("stpo", names), std::nullopt);
  EXPECT_EQ(nearest_name("step", names), "stop");
  EXPECT_EQ(nearest_name("colour", names), std::nullopt);
}

TEST(YamlFile, MissingFilesAndFolders) {
  EXPECT_CONTAINS(message_of([] { read_yaml_file("/nonexistent/x.yaml"); }),
                  "/nonexistent/x.yaml: cannot be read");
  EXPECT_CONTAINS(message_of([] { read_yaml_file("/tmp"); }), "is a folder");
}

}  // namespace
