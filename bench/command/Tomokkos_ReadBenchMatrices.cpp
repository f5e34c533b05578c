// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_ReadBenchMatrices.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos::Bench {
namespace {

const std::vector<std::string_view> source_keys{
    "tomography", "circulant", "stencil",       "file",      "power_law", "uniform",
    "profile",    "table1",    "conformal_map", "dense_row", "lscm",      "smoothing"};

/// Reads a required number of rows, columns or the like.
Ordinal ordinal(const ConfigReader& reader, std::string_view key) {
  reader.require_key(key, "a whole number");
  return static_cast<Ordinal>(reader.integer(key, 1, 1, max_ordinal));
}

double entries_per_row(const ConfigReader& reader) {
  return reader.number("entries_per_row", 16.0, {0.0, 1e6});
}

template <class Source>
void check_entries(const ConfigReader& reader, const Source& source) {
  if (entry_count(source) > max_generated_entries)
    reader.fail("entries_per_row", Impl::number_text(entry_count(source)) +
                                       " entries in all; a generated matrix has at most 4e9");
}

std::uint64_t seed_of(const ConfigReader& reader) {
  return static_cast<std::uint64_t>(
      reader.integer("seed", 1, 0, std::numeric_limits<long long>::max()));
}

PowerLaw read_power_law(const ConfigReader& entry) {
  const ConfigReader reader = entry.section("power_law", {"scale", "entries_per_row", "seed"});
  PowerLaw result;
  reader.require_key("scale", "the matrix has 2^scale rows");
  result.scale = static_cast<int>(reader.integer("scale", 16, 0, 30));
  result.entries_per_row = entries_per_row(reader);
  result.seed = seed_of(reader);
  check_entries(reader, result);
  return result;
}

Uniform read_uniform(const ConfigReader& entry) {
  const ConfigReader reader =
      entry.section("uniform", {"rows", "columns", "entries_per_row", "seed"});
  Uniform result;
  result.rows = ordinal(reader, "rows");
  result.columns = ordinal(reader, "columns");
  result.entries_per_row = entries_per_row(reader);
  result.seed = seed_of(reader);
  check_entries(reader, result);
  return result;
}

FileSource read_file(const ConfigReader& entry) {
  const FileSource result{entry.file("file")};
  std::error_code error;
  if (!std::filesystem::is_regular_file(result.path, error))
    entry.fail("file", result.path.string() + ": no such file");
  try {
    matrix_file_format(result.path);
  } catch (const InputError& problem) {
    entry.fail("file", problem.what());
  }
  return result;
}

Ordinal ordinal_or(const ConfigReader& reader, std::string_view key, Ordinal fallback,
                   long long low = 0) {
  return static_cast<Ordinal>(reader.integer(key, fallback, low, max_ordinal));
}

/// Reads `[[per cent of the rows, length], ...]`.
std::vector<LengthQuantile> read_quantiles(const ConfigReader& reader) {
  std::vector<LengthQuantile> result;
  const auto* items = items_of(reader, "quantiles");
  if (items == nullptr) return result;
  const std::string path = reader.path_of("quantiles");
  for (const ConfigNode& item : *items) {
    if (!item.is_list() || item.items().size() != 2)
      fail_at(item, path, "expected pairs [per cent of the rows, length]");
    const double percent = number_of(item.items()[0], path);
    if (!(percent > 0 && percent < 100))
      fail_at(item, path, "percentages must lie between 0 and 100");
    const auto length = static_cast<Ordinal>(integer_of(item.items()[1], path, 0, max_ordinal));
    result.push_back({0.01 * percent, length});
  }
  return result;
}

/// Reads a profile. Fails if its figures contradict each other.
Profile checked_profile(const ConfigReader& entry) {
  const Profile result = read_profile(entry);
  try {
    row_lengths(result);
  } catch (const Error& error) {
    entry.fail("profile", error.what());
  }
  return result;
}

ConformalMap read_conformal_map(const ConfigReader& entry) {
  const ConfigReader reader = entry.section("conformal_map", {"size", "jitter", "seed"});
  reader.require_key("size", "squares along a side, or [nx, ny]");
  ConformalMap result;
  const ConfigNode& size = *reader.find("size");
  const std::string path = reader.path_of("size");
  const bool pair = size.is_list();
  if (pair && size.items().size() != 2) fail_at(size, path, "expected one number, or [nx, ny]");
  // Each square has four rows and about two unknowns.
  constexpr long long most = 1 << 28;
  result.nx = static_cast<Ordinal>(integer_of(pair ? size.items()[0] : size, path, 1, most));
  result.ny = static_cast<Ordinal>(integer_of(pair ? size.items()[1] : size, path, 1, most));
  if (static_cast<long long>(result.nx) * result.ny > most)
    fail_at(size, path, "has more triangles than a 32-bit index can count");
  result.jitter = reader.number("jitter", result.jitter, NumberRange::not_negative());
  if (result.jitter >= 0.25)
    reader.fail("jitter", "must be below 0.25, so that no triangle turns over");
  result.seed = seed_of(reader);
  return result;
}

DenseRow read_dense_row(const ConfigReader& entry) {
  const ConfigReader reader = entry.section("dense_row", {"rows", "bandwidth", "seed"});
  DenseRow result;
  result.rows = ordinal(reader, "rows");
  result.bandwidth = ordinal_or(reader, "bandwidth", result.bandwidth, 1);
  if (result.bandwidth > result.rows) reader.fail("bandwidth", "is wider than the matrix");
  if (entry_count(result) > max_generated_entries)
    reader.fail("bandwidth", "makes more than 4e9 entries");
  result.seed = seed_of(reader);
  return result;
}

/// Reads the surface of a system on a mesh.
template <class Source>
void read_surface(const ConfigReader& reader, Source& result) {
  result.shape = reader.choice("mesh", result.shape);
  reader.require_key("vertices", "approximate number of vertices of the surface");
  constexpr long long most = 1 << 26;
  result.vertices = integer_of(*reader.find("vertices"), reader.path_of("vertices"), 4, most);
  result.seed = seed_of(reader);
}

Lscm read_lscm(const ConfigReader& entry) {
  Lscm result;
  read_surface(entry.section("lscm", {"mesh", "vertices", "seed"}), result);
  return result;
}

Smoothing read_smoothing(const ConfigReader& entry) {
  const ConfigReader reader = entry.section("smoothing", {"mesh", "vertices", "locked", "seed"});
  Smoothing result;
  read_surface(reader, result);
  if (!reader.has("locked")) return result;
  const auto share = read_locked_share(*reader.find("locked"), reader.path_of("locked"));
  if (!share)
    reader.fail("locked", "expected a share of the vertices (1/10, 0.1); found " +
                              reader.find("locked")->describe());
  if (*share == 1) reader.fail("locked", "must be below 1, so that at least one vertex can move");
  result.locked = *share;
  return result;
}

void read_order(const ConfigReader& entry, bool is_tomography, MatrixSource& result) {
  result.ordering = read_ordering(entry);
  if (result.ordering.entries != EntryOrder::sorted)
    entry.fail("ordering",
               "cannot interleave entries: that applies only to our CSR, for all matrices; "
               "set bench.entries");
  if (!is_tomography && is_on_grid(result.ordering))
    entry.fail(
        "ordering",
        "tiles, squares and hilbert order pixels and rays, so they apply only to tomography");
  result.name = name_in_order(result.name, result.ordering);
}

/// Reads `rows: [first, last]`, last excluded, of a scan in its natural order.
RowRange read_rows(const ConfigReader& entry, bool is_tomography, const OrderingOptions& ordering) {
  const ConfigNode* node = entry.find("rows");
  if (node == nullptr) return all_rows;
  if (!is_tomography) entry.fail("rows", "applies only to tomography");
  if (ordering != OrderingOptions{})
    entry.fail("rows", "applies only to rows in natural order; remove ordering");
  const std::string path = entry.path_of("rows");
  if (!node->is_list() || node->items().size() != 2)
    fail_at(*node, path, "expected [first, last], found " + node->describe());
  const auto at = [&](std::size_t i) {
    return static_cast<Ordinal>(integer_of(node->items()[i], path, 0, max_ordinal));
  };
  const RowRange rows{at(0), at(1)};
  if (rows.begin >= rows.end)
    fail_at(*node, path, "the range is empty; last is excluded and must exceed first");
  return rows;
}

/// Reads `table1: all`, a name or a list of names. `files` is a folder; matrices for which it holds
/// `<name>.mtx`, `.mtx.gz` or `.tar.gz` are read from there.
std::vector<MatrixSource> read_table1(const ConfigReader& entry) {
  std::vector<std::string_view> allowed{"all"};
  for (const SetMatrix& matrix : matrix_set("table1")) allowed.push_back(matrix.name);
  std::vector<std::string> wanted;
  if (entry.find("table1")->is_list())
    wanted = names(entry, "table1", {allowed.begin() + 1, allowed.end()}, {});
  else
    wanted = {entry.one_of("table1", "all", allowed)};
  if (wanted.front() == "all") wanted.assign(allowed.begin() + 1, allowed.end());
  if (entry.has("name") && wanted.size() != 1)
    entry.fail("name", "applies only to a single matrix; each matrix of Table I has its own name");
  std::filesystem::path folder;
  if (entry.has("files")) {
    folder = entry.file("files");
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
      entry.fail("files", folder.string() + ": no such folder");
  }
  std::vector<MatrixSource> result;
  for (const std::string& name : wanted) {
    Table1Source source{find_set_matrix("table1", name), {}};
    for (const char* extension : {".tar.gz", ".mtx.gz", ".mtx"}) {
      const std::filesystem::path file = folder / (name + extension);
      std::error_code error;
      if (!folder.empty() && std::filesystem::is_regular_file(file, error)) source.file = file;
    }
    result.push_back({entry.string("name", name), source});
    read_order(entry, false, result.back());
  }
  return result;
}

std::vector<MatrixSource> read_matrix_source(const ConfigNode& node, const std::string& path,
                                             const ConfigNode& run) {
  std::vector<std::string_view> allowed{"name", "files", "ordering", "rows"};
  allowed.insert(allowed.end(), source_keys.begin(), source_keys.end());
  const ConfigReader entry(node, path, allowed);
  std::vector<std::string_view> given;
  for (const auto key : source_keys)
    if (entry.has(key)) given.push_back(key);
  if (given.size() != 1)
    fail_at(node, path,
            "needs exactly one of " + join_names(source_keys) +
                (given.empty() ? "" : "; has " + join_names(given)));
  const std::string_view key = given.front();
  if (key == "table1") {
    entry.refuse_key("rows", "applies only to tomography");
    return read_table1(entry);
  }
  entry.refuse_key("files", "applies only to table1");
  entry.require_key("name", "the name of the matrix in the results");
  MatrixSource result;
  result.name = entry.string("name");
  read_order(entry, key == "tomography", result);
  result.rows = read_rows(entry, key == "tomography", result.ordering);
  if (key == "tomography") result.source = read_tomography(entry, run);
  if (key == "circulant") read_circulant(entry, run, result);
  if (is_circulant(result)) {
    entry.refuse_key("ordering",
                     "does not apply to a block-circulant matrix, which has an order of its own");
    entry.refuse_key("rows",
                     "does not apply to a block-circulant matrix, which is measured as a whole");
  }
  if (key == "stencil") result.source = read_stencil(entry);
  if (key == "file") result.source = read_file(entry);
  if (key == "power_law") result.source = read_power_law(entry);
  if (key == "uniform") result.source = read_uniform(entry);
  if (key == "profile") result.source = checked_profile(entry);
  if (key == "conformal_map") result.source = read_conformal_map(entry);
  if (key == "dense_row") result.source = read_dense_row(entry);
  if (key == "lscm") {
    const auto given = read_mesh_problem(entry, key, ProblemKind::parameterization, run);
    if (given)
      result.source = *given;
    else
      result.source = read_lscm(entry);
  }
  if (key == "smoothing") {
    const auto given = read_mesh_problem(entry, key, ProblemKind::smoothing, run);
    if (given)
      result.source = *given;
    else
      result.source = read_smoothing(entry);
  }
  return {std::move(result)};
}

}  // namespace

Profile read_profile(const ConfigReader& entry) {
  const ConfigReader reader = entry.section(
      "profile", {"rows", "columns", "entries", "shortest", "longest", "sigma", "quantiles",
                  "regular", "run", "pattern", "bandwidth", "block", "seed"});
  Profile result;
  result.rows = ordinal(reader, "rows");
  result.columns = ordinal_or(reader, "columns", result.rows, 1);
  for (const char* key : {"entries", "longest", "sigma"})
    reader.require_key(key, "a statistic of the row lengths of the matrix");
  result.entries = reader.integer("entries", 1, 0, static_cast<long long>(max_generated_entries));
  result.longest = ordinal_or(reader, "longest", 1);
  result.sigma = reader.number("sigma", 0.0, NumberRange::not_negative());
  result.shortest = ordinal_or(reader, "shortest", 0);
  result.quantiles = read_quantiles(reader);
  if (reader.has("regular")) {
    const ConfigReader regular = reader.section("regular", {"width", "share"});
    result.regular_width = ordinal(regular, "width");
    regular.require_key("share", "share of the entries within that width");
    result.regular_share = regular.number("share", 1.0, {0.0, 1.0});
  }
  result.run = ordinal_or(reader, "run", 1, 1);
  result.pattern = reader.choice("pattern", result.pattern);
  result.bandwidth = ordinal_or(reader, "bandwidth", 0);
  result.block = ordinal_or(reader, "block", 1, 1);
  result.seed = seed_of(reader);
  return result;
}

std::string name_in_order(const std::string& name, const OrderingOptions& ordering) {
  return ordering == OrderingOptions{} ? name : name + " (" + describe(ordering) + ")";
}

const std::vector<ConfigNode>* items_of(const ConfigReader& reader, std::string_view key) {
  const ConfigNode* node = reader.find(key);
  if (node == nullptr) return nullptr;
  if (!node->is_list() || node->items().empty())
    fail_at(*node, reader.path_of(key),
            "expected a list that is not empty, found " + node->describe());
  return &node->items();
}

std::vector<std::string> names(const ConfigReader& reader, std::string_view key,
                               const std::vector<std::string_view>& allowed,
                               std::vector<std::string> fallback) {
  const auto* items = items_of(reader, key);
  if (items == nullptr) return fallback;
  std::vector<std::string> result;
  const std::string path = reader.path_of(key);
  for (const ConfigNode& item : *items) {
    const std::string& name = string_of(item, path);
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      const auto nearest = nearest_name(name, allowed);
      fail_at(item, path,
              "unknown name \"" + name + "\"" +
                  (nearest ? ", did you mean \"" + std::string(*nearest) + "\"?" : "") +
                  "; allowed: " + join_names(allowed));
    }
    if (std::find(result.begin(), result.end(), name) != result.end())
      fail_at(item, path, "\"" + name + "\" occurs twice");
    result.push_back(name);
  }
  return result;
}

std::vector<MatrixSource> read_matrices(const ConfigReader& reader, const ConfigNode& run) {
  reader.require_key("matrices", "a list of {name, one of " + join_names(source_keys) + "}");
  std::vector<MatrixSource> result;
  const auto& items = *items_of(reader, "matrices");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string path = reader.path_of("matrices") + "[" + std::to_string(i) + "]";
    for (MatrixSource& source : read_matrix_source(items[i], path, run)) {
      for (const MatrixSource& other : result)
        if (other.name == source.name)
          fail_at(items[i], path + ".name", "\"" + source.name + "\" occurs twice");
      result.push_back(std::move(source));
    }
  }
  return result;
}

}  // namespace Tomokkos::Bench
