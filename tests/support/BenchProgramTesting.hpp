// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs `tomokkos bench` as a user does and checks the members of its JSON.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <cstdlib>
#include <set>

#include "ConfigTesting.hpp"
#include "FileTesting.hpp"
#include "ProjectRoot.hpp"

namespace {

namespace fs = std::filesystem;
using namespace Tomokkos;

using Testing::parse;

/// Runs the program, which lies in the same folder as this test. Its messages are written to \p
/// messages.
[[maybe_unused]] int run_program(const std::string& arguments, const fs::path& messages) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "tomokkos";
  // The arrays that measure the bandwidths stay small, whatever the last cache of the machine.
  const bool measures =
      arguments.starts_with("bench ") && arguments.find(".yaml") < arguments.size();
  const std::string limit = measures ? " --set run.memory_limit=1GB" : "";
  const int status = std::system(("\"" + program.string() + "\" " + arguments + limit +
                                  " > /dev/null 2> \"" + messages.string() + "\"")
                                     .c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

[[maybe_unused]] const ConfigNode& member(const ConfigNode& node, const char* key) {
  const ConfigNode* found = node.find(key);
  if (found == nullptr) throw Error(std::string("no member ") + key);
  return *found;
}

[[maybe_unused]] std::set<std::string> keys_of(const ConfigNode& node) {
  std::set<std::string> keys;
  for (const auto& entry : node.entries()) keys.insert(entry.key);
  return keys;
}

const std::set<std::string> name_keys{"matrix", "operation", "format", "variant",
                                      "scalar", "backend",   "library"};

[[maybe_unused]] void check_result(const ConfigNode& result) {
  std::set<std::string> expected = name_keys;
  expected.insert({"vectors",
                   "gigaflops_per_second",
                   "gigaflops_best",
                   "seconds_best",
                   "seconds_median",
                   "seconds_p25",
                   "seconds_p75",
                   "bytes_model",
                   "footprint_bytes",
                   "gigabytes_per_second",
                   "share_of_bandwidth",
                   "bytes_per_nonzero",
                   "choice",
                   "fill",
                   "setup_seconds",
                   "setup_products",
                   "pays_after",
                   "memory_bytes",
                   "solve",
                   "transposition",
                   "spread",
                   "rmse_to_plain",
                   "error"});
  EXPECT_GE(as_number(member(result, "fill")).value_or(0), 1.0);
  const bool expanded = member(result, "format").scalar() != "block_circulant";
  EXPECT_GT(as_number(member(result, "bytes_per_nonzero")).value_or(0), expanded ? 4.0 : 0.0);
  EXPECT_EQ(keys_of(result), expected);
  for (const std::string& key : name_keys) {
    EXPECT_TRUE(member(result, key.c_str()).is_quoted()) << key;
    EXPECT_FALSE(member(result, key.c_str()).scalar().empty()) << key;
  }
  for (const char* key :
       {"seconds_median", "seconds_p25", "seconds_p75", "seconds_best", "bytes_model",
        "footprint_bytes", "gigabytes_per_second", "setup_seconds", "memory_bytes", "error"}) {
    const auto number = as_number(member(result, key));
    ASSERT_TRUE(number.has_value()) << key;
    EXPECT_GE(*number, 0.0) << key;
  }
  EXPECT_LE(*as_number(member(result, "error")), 1.0);
  const std::string operation = member(result, "operation").scalar();
  const bool counts_operations = operation.rfind("spm", 0) == 0 || operation == "axpy" ||
                                 operation == "dot" || operation == "alternating";
  EXPECT_EQ(member(result, "gigaflops_per_second").is_null(), !counts_operations);
  EXPECT_EQ(member(result, "gigaflops_best").is_null(), !counts_operations);
  EXPECT_EQ(member(result, "solve").is_null(), operation != "pcg");
  EXPECT_EQ(member(result, "transposition").is_null(), operation != "transpose");
  if (operation.find("iteration") == std::string::npos) {
    EXPECT_TRUE(member(result, "rmse_to_plain").is_null());
  }
  EXPECT_GE(as_number(member(result, "vectors")).value_or(0), 1.0);
  EXPECT_TRUE(member(result, "share_of_bandwidth").is_null()) << "a tiny matrix lies in the cache";
}

/// Runs the bench of \p config with \p settings and few samples, and returns its JSON.
[[maybe_unused]] ConfigNode bench_json(const std::string& config, const std::string& settings) {
  const Testing::TemporaryFolder folder;
  const fs::path json = folder / "out.json";
  const fs::path messages = folder / "messages";
  EXPECT_EQ(run_program("bench \"" + (Testing::project_root() / "configs" / config).string() +
                            "\" " + settings +
                            " --set bench.repetitions=1 --set bench.warmup=0 --set bench.peers=[] "
                            "--set run.backend=" +
                            std::string(backend_name<TOMOKKOS_HOST_SPACE>()) + " --json \"" +
                            json.string() + "\"",
                        messages),
            0)
      << Testing::read_bytes(messages);
  return parse(Testing::read_bytes(json));
}

}  // namespace
