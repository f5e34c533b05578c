// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// YAML as plain data, `--set`, typed access, and error messages.
#include <gtest/gtest.h>
#include <unistd.h>

#include <Tomokkos_ConfigDocument.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

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

TEST(ConfigNode, written_yaml_reads_back_the_same) {
  for (const char* text :
       {"a: 1\n", "a: [1, {b: 2}]\n", "c:\n  d: \"180\"\n  e: 180 deg\n",
        "f:\n  - x\n  - y: 1\n    z: 'a: b'\n", "g: \"line\\nbreak\\t\\\"quoted\\\"\"\n", "h: ''\n",
        "i: \"null\"\n", "j: [true, \"true\", ~, 1e5, -3]\n", "k: \"#x\"\n", "l: \"- x\"\n"}) {
    const std::string once = to_yaml(parse(text));
    EXPECT_EQ(to_yaml(parse(once)), once) << text;
  }
}

TEST(ConfigNode, numbers_keep_all_their_bits) {
  for (const double value : {0.1, 1.0 / 3.0, 1e-300, -0.0, 6.02214076e23, 123456789.0}) {
    const auto back = as_number(parse("x: " + ConfigNode::number(value).scalar()).find("x")[0]);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, value);
    EXPECT_EQ(std::signbit(*back), std::signbit(value));
  }
}

TEST(ConfigNode, texts_that_look_like_other_values_are_quoted) {
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

// A report keeps its numbers, booleans and lists when it is read and written again.
TEST(ConfigNode, descriptions_keep_their_values_when_read_back) {
  const Description map = Description::map()
                              .set("number", 0.1)
                              .set("count", 3)
                              .set("text", "3")
                              .set("truth", true)
                              .set("nothing", Description())
                              .set("list", std::vector<double>{1e300, -0.5})
                              .set("inner", Description::map(true).set("a: b", "- c"));
  const std::string once = to_yaml(to_node(map));
  EXPECT_EQ(once,
            "number: 0.1\ncount: 3\ntext: \"3\"\ntruth: true\nnothing: null\n"
            "list: [1e+300, -0.5]\ninner: {\"a: b\": \"- c\"}\n");
  const ConfigNode read = parse(once);
  const Description back = description_of(read);
  EXPECT_EQ(back.find("number")->value(), map.find("number")->value());
  EXPECT_EQ(back.find("text")->value(), map.find("text")->value());
  EXPECT_EQ(back.find("truth")->value(), map.find("truth")->value());
  EXPECT_EQ(back.find("list")->items()[0].value(), Description::Value(1e300));
  EXPECT_EQ(parse(to_yaml(to_node(back))).find("inner")->find("a: b")->scalar(), "- c");
}

TEST(Yaml, refuses_invalid_documents) {
  EXPECT_CONTAINS(parse_error("a: [1"), "f.yaml:1:");
  EXPECT_CONTAINS(parse_error("a: [1"), "not valid YAML");
  EXPECT_CONTAINS(parse_error("a: b: c"), "not valid YAML");
  EXPECT_CONTAINS(parse_error("a: {b: *none}"), "anchor is not defined");
  EXPECT_CONTAINS(parse_error("x: 0\na: 1\na: 2\n"), "f.yaml:3:1: duplicate key \"a\"");
  EXPECT_CONTAINS(parse_error("x: 0\na: 1\na: 2\n"), "f.yaml:2:1");
  EXPECT_CONTAINS(parse_error("a: {b: 1, b: 2}"), "duplicate key \"b\"");
  EXPECT_CONTAINS(parse_error("a: 1\n---\nb: 2\n"), "f.yaml:2:1: a second document");
  // The parser knows that the quote is not closed, but not where it was opened.
  for (const char* quote : {"\"", "'"})
    EXPECT_CONTAINS(parse_error("a: " + std::string(quote) + "open\nb: 1\n"),
                    "a quote is opened before this line and not closed");
  EXPECT_CONTAINS(parse_error("? [1, 2]\n: 3\n"), "a key must be a word");
}

TEST(Yaml, aliases_are_expanded_and_bounded) {
  const ConfigNode node = parse("base: &b {x: 1, y: 2}\nplain: *b\nmerged: {<<: *b, y: 3}\n");
  EXPECT_EQ(node.find("plain")->find("x")->scalar(), "1");
  EXPECT_EQ(node.find("merged")->find("x")->scalar(), "1");
  EXPECT_EQ(node.find("merged")->find("y")->scalar(), "3");
  EXPECT_CONTAINS(parse_error("a: &a [*a]"), "does an alias contain itself");
  // Ten levels of ten aliases each make ten billion values.
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string name = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + name;
    for (int j = 1; j < 10; ++j) bomb += ", " + name;
    bomb += "]\n";
  }
  EXPECT_CONTAINS(parse_error(bomb), "counting aliases");
}

TEST(Yaml, text_after_a_document_is_refused) {
  for (const char* text :
       {",", ",5", "\"a\",", "[8,8],[1]", "{a: 1},", "!a ,", "&a ,", ",cr", "{\"problem\": {}},"})
    EXPECT_CONTAINS(parse_error(text), "the \",\" belongs to no list and no map") << text;
  EXPECT_CONTAINS(parse_error("a: 1\nb: [1, 2]\n{c: 3}, 4\n"), "f.yaml:3:");
  EXPECT_CONTAINS(parse_error("---\n"
                              "---\n"),
                  "f.yaml:2:1: a second document");
  EXPECT_EQ(to_yaml(parse("%YAML 1.2\n---\na: 5,\n...\n")), "a: 5,\n");
}

TEST(Yaml, lines_that_look_like_directives_are_refused) {
  EXPECT_CONTAINS(parse_error("# x\n\n%problem: {type: nonsense}\n"), "f.yaml:3:1: ");
  EXPECT_CONTAINS(parse_error("%problem: {type: nonsense}\n"), "is a YAML directive");
  EXPECT_CONTAINS(parse_error("\xef\xbb\xbf%50"), "is a YAML directive");
  EXPECT_CONTAINS(parse_error("a: 1\n%50\n"), "f.yaml:2:1: a line that begins with % is");
}

TEST(Yaml, texts_that_are_too_large_are_refused) {
  const auto repeated = [](const std::string& piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
  };
  EXPECT_CONTAINS(parse_error(std::string(16'000'001, '\n')), "longer than 16 MB");
  EXPECT_EQ(to_yaml(parse("a: 1\n" + std::string(1'000'000, '\n'))), "a: 1\n");
  for (const char* piece : {"[", "{", "[1],", "1,", "&a ", "[? "})
    EXPECT_CONTAINS(parse_error("x: [" + repeated(piece, 1'000'001)),
                    "too many commas and brackets");
  EXPECT_CONTAINS(parse_error(repeated("-\n", 600'000)), "more than 500000 values");
  EXPECT_CONTAINS(parse_error("x: [" + repeated("[", 10'000)), "nested deeper than 64 levels");
  EXPECT_CONTAINS(parse_error(repeated("- ", 10'000)), "nested deeper than 64 levels");
}

TEST(Yaml, many_keys_are_compared_in_linear_time) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(parse(text).entries().size(), 100'000u);
  EXPECT_CONTAINS(parse_error(text + "k77: 1\n"),
                  "f.yaml:100001:1: duplicate key \"k77\"; it was given before at f.yaml:78:1");
}

TEST(Yaml, own_keys_come_before_merged_keys_and_override_them) {
  const ConfigNode node = parse(
      "- &a {x: 1, w: 2}\n- &b {w: 3, z: &k zed}\n- {<<: [*a, *b], x: 0}\n- {*k : 1}\n"
      "- {\"<<\": 5}\n");
  EXPECT_EQ(to_yaml(node.items()[2]), "x: 0\nw: 2\nz: zed\n");
  EXPECT_EQ(to_yaml(node.items()[3]), "zed: 1\n");
  EXPECT_EQ(node.items()[4].find("<<")->scalar(), "5");
  EXPECT_CONTAINS(parse_error("a: {<<: 5}"), "f.yaml:1:5: <<: expected a map");
  EXPECT_CONTAINS(parse_error("a: &a {<<: *a}"), "does an alias contain itself");
}

TEST(Settings, replace_and_add_keys) {
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

TEST(Settings, errors_name_the_setting) {
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

TEST(Settings, text_that_reads_as_an_empty_value_is_refused) {
  const auto error_for = [](const std::string& value) {
    return message_of([&] {
      ConfigNode root = parse("solver: {iterations: 6}\n");
      apply_setting(root, "solver.iterations=" + value);
      EXPECT_TRUE(root.find("solver")->find("iterations")->is_null()) << value;
    });
  };
  for (const char* empty_value : {"", " ", "~", "null", "Null"})
    EXPECT_EQ(error_for(empty_value), "(no error)") << empty_value;
  for (const char* value : {"#5", "...", "---", "&a", "!", "# ~"})
    EXPECT_CONTAINS(error_for(value), "--set solver.iterations=" + std::string(value) + ": ");
  EXPECT_CONTAINS(error_for("#5"), "\"#5\" is read as an empty value");
  EXPECT_CONTAINS(error_for("%50"), "is a YAML directive");
  ConfigNode root;
  apply_setting(root, "a=\"\"");
  EXPECT_TRUE(root.find("a")->is_quoted());
  EXPECT_CONTAINS(error_for("[png],[npy]"), "belongs to no list");
}

TEST(Settings, paths_are_relative_to_the_working_directory) {
  ConfigNode root = parse("a: x.npy\nb: x.npy\n");
  apply_setting(root, "b=x.npy");
  const ConfigReader reader(root, "", {"a", "b"});
  EXPECT_EQ(reader.file("a"), "/data/scans/x.npy");
  EXPECT_EQ(reader.file("b"), std::filesystem::current_path() / "x.npy");
}

TEST(ConfigReader, unknown_keys_are_reported_with_position_and_nearest_key) {
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

TEST(ConfigReader, checks_types_and_ranges) {
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

TEST(ConfigReader, numbers_with_a_leading_zero_are_refused) {
  const ConfigNode root = parse("a: 010\nb: -08\nc: +00\nd: 01.5\ne: [0, -0, 0.5, 0e3, 10]\n");
  for (const char* key : {"a", "b", "c", "d"}) {
    const ConfigNode& node = *root.find(key);
    EXPECT_CONTAINS(message_of([&] { number_of(node, "x"); }), "begins with a zero");
  }
  EXPECT_CONTAINS(message_of([&] { integer_of(*root.find("a"), "x", 0, 99); }),
                  "f.yaml:1:4: x: 010 begins with a zero");
  for (const ConfigNode& node : root.find("e")->items()) EXPECT_NO_THROW(number_of(node, "x"));
}

TEST(ConfigReader, access_to_an_undeclared_key_is_a_programming_error) {
  const ConfigNode root = parse("a: 1\n");
  const ConfigReader reader(root, "", {"a"});
  EXPECT_THROW(reader.has("b"), Error);
}

TEST(ConfigPlaces, are_added_to_messages_that_begin_with_a_key) {
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

TEST(ConfigPlaces, keep_the_type_of_an_error) {
  const ConfigNode root = parse("problem:\n  noise: {counts: 1}\n");
  const auto throw_with_place = [&](const auto& error) {
    add_places_to_errors(root, [&]() -> int { throw error; });
  };
  const char* message = "problem.noise: a";
  EXPECT_THROW(throw_with_place(ConfigError(message)), ConfigError);
  EXPECT_THROW(throw_with_place(InputError(message)), InputError);
  EXPECT_THROW(throw_with_place(DimensionMismatch(message)), DimensionMismatch);
  EXPECT_THROW(throw_with_place(MemoryError(message)), MemoryError);
  EXPECT_THROW(throw_with_place(OutputError(message)), OutputError);
  EXPECT_THROW(throw_with_place(3), int);
  EXPECT_CONTAINS(message_of([&] { throw_with_place(ConfigError(message)); }),
                  ":2:10: problem.noise: a");
  EXPECT_EQ(add_places_to_errors(root, [] { return 7; }), 7);
}

TEST(NearestName, finds_only_small_misspellings) {
  const std::vector<std::string_view> names{"iterations", "relaxation", "stop"};
  EXPECT_EQ(nearest_name("iteration", names), "iterations");
  EXPECT_EQ(nearest_name("relaxtion", names), "relaxation");
  EXPECT_EQ(nearest_name("stpo", names), std::nullopt);
  EXPECT_EQ(nearest_name("step", names), "stop");
  EXPECT_EQ(nearest_name("colour", names), std::nullopt);
}

TEST(YamlFile, refuses_missing_files_and_folders) {
  EXPECT_CONTAINS(message_of([] { read_yaml_file("/nonexistent/x.yaml"); }),
                  "/nonexistent/x.yaml: cannot be read");
  EXPECT_CONTAINS(message_of([] { read_yaml_file("/tmp"); }), "is a folder");
}

TEST(YamlFile, devices_and_endless_pipes_are_refused_but_other_pipes_are_read) {
  for (const char* device : {"/dev/zero", "/dev/null"})
    EXPECT_CONTAINS(message_of([&] { read_yaml_file(device); }), "is a device");
  // Closes the reading end before joining the writer, so that an endless writer fails and stops.
  const auto from_pipe = [](const std::string& text, bool forever) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    std::thread writer([&] {
      do {
        if (write(ends[1], text.data(), text.size()) < 0) break;
      } while (forever);
      close(ends[1]);
    });
    ConfigNode node;
    const std::string message = message_of([&] {
      const int end = ends[0];
      const std::string name = "/dev/fd/" + std::to_string(end);
      try {
        node = read_yaml_file(name);
      } catch (...) {
        close(end);
        throw;
      }
      close(end);
    });
    writer.join();
    return message == "(no error)" ? to_yaml(node) : message;
  };
  const auto handler = signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(from_pipe("a: [1, 2]\n", false), "a: [1, 2]\n");
  EXPECT_CONTAINS(from_pipe(std::string(1 << 20, '#'), true), "longer than 16 MB");
  signal(SIGPIPE, handler);
}

}  // namespace
