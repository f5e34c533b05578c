// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the matrices of `bench` that problems of ordinary configurations describe.
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_ReadBenchMatrices.hpp>
#include <filesystem>
#include <limits>

namespace Tomokkos::Bench {
namespace {

/// Makes a source from the problem of an ordinary configuration.
ProblemSource source_of(ConfigNode problem, const ConfigNode& run,
                        ProblemKind kind = ProblemKind::tomography) {
  problem.set("type", ConfigNode::text(std::string(to_string(kind))));
  ConfigNode root = ConfigNode::map();
  root.position = problem.position;
  root.set("run", run);
  root.set("problem", std::move(problem));
  const auto config = read_run_config(root, ConfigUse::matrix, "");
  return {config.problem, config.run, config.matrix_operator, config.input_use()};
}

Circulant read_generated(const ConfigReader& reader) {
  const auto count = [&](const char* key, const char* hint) {
    reader.require_key(key, hint);
    return static_cast<Ordinal>(reader.integer(key, 1, 1, max_ordinal));
  };
  Circulant result;
  result.block_rows = count("block_rows", "rows of a block");
  result.block_cols = count("block_columns", "columns of a block");
  result.blocks = count("blocks", "k of k x k blocks");
  result.entries_per_row = count("entries_per_row", "entries of a row of the matrix");
  result.seed = static_cast<std::uint64_t>(
      reader.integer("seed", 1, 0, std::numeric_limits<long long>::max()));
  const Offset columns = Offset{result.block_cols} * result.blocks;
  if (result.entries_per_row > columns)
    reader.fail("entries_per_row",
                "exceeds the length of a row, which has " + std::to_string(columns) + " columns");
  if (columns > max_ordinal || Offset{result.block_rows} * result.blocks > max_ordinal)
    reader.fail("blocks", "makes more rows or columns than a 32-bit index can count");
  if (entry_count(result) > max_generated_entries)
    reader.fail("entries_per_row", Impl::number_text(entry_count(result)) +
                                       " entries in all; a generated matrix has at most 4e9");
  return result;
}

}  // namespace

ProblemSource read_tomography(const ConfigReader& entry, const ConfigNode& run) {
  // Checks only the keys, so that errors name the path of the entry. The problem reader checks the
  // values.
  entry.section("tomography", {"volume", "geometry", "projector", "scanner"});
  return source_of(*entry.find("tomography"), run);
}

std::optional<ProblemSource> read_mesh_problem(const ConfigReader& entry, std::string_view key,
                                               ProblemKind kind, const ConfigNode& run) {
  const ConfigNode& node = *entry.find(key);
  const ConfigNode* mesh = node.is_map() ? node.find("mesh") : nullptr;
  if (mesh == nullptr || !(mesh->is_map() || (mesh->is_scalar() && is_mesh_file(mesh->scalar()))))
    return std::nullopt;
  const bool is_chart = kind == ProblemKind::parameterization;
  // Checks only the keys, as for tomography.
  const ConfigReader reader =
      entry.section(key, is_chart ? std::vector<std::string_view>{"mesh", "pins"}
                                  : std::vector<std::string_view>{"mesh", "locked", "seed"});
  ConfigNode problem = node;
  ConfigNode settings = run;
  // A generated surface stores all four entries of every block, too.
  if (is_chart) problem.set("form", ConfigNode::text(std::string(to_string(ChartForm::complex))));
  if (const ConfigNode* seed = node.find("seed")) {
    // The seed that chooses the locked vertices.
    if (!settings.is_map()) settings = ConfigNode::map();
    settings.set("seed", *seed);
    problem = ConfigNode::map();
    problem.position = node.position;
    for (const auto& item : node.entries())
      if (item.key != "seed") problem.set(item.key, item.value);
  }
  const ProblemSource source = source_of(std::move(problem), settings, kind);
  const std::filesystem::path& file = source.problem.mesh->file;
  std::error_code error;
  if (!file.empty() && !std::filesystem::is_regular_file(file, error))
    fail_at(*mesh, reader.path_of("mesh"), file.string() + ": no such file");
  return source;
}

void read_circulant(const ConfigReader& entry, const ConfigNode& run, MatrixSource& result) {
  const ConfigReader reader = entry.section(
      "circulant",
      {"block_row", "blocks", "block_rows", "block_columns", "entries_per_row", "seed"});
  if (!reader.has("block_row")) {
    result.source = read_generated(reader);
    return;
  }
  for (const char* key : {"block_rows", "block_columns", "entries_per_row", "seed"})
    reader.refuse_key(key,
                      "applies only to generated matrices; this block_row is read from a file");
  result.source = source_of(*entry.find("circulant"), run);
}

}  // namespace Tomokkos::Bench
