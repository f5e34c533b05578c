// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_BenchCommand.hpp>
#include <Tomokkos_BenchConfig.hpp>
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_ConfigDocument.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Version.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>

#include <Tomokkos_BenchSuite.hpp>

namespace Tomokkos {
namespace {

using namespace Bench;

void require_memory(double bytes, std::uint64_t available) {
  Impl::require_memory(Impl::whole_bytes(bytes), "the matrix needs", available);
}

RunInput input_of(const ProblemSource& source) {
  return read_input(source.problem, source.run, source.use);
}

/// Task of the products that are timed, whichever solver is configured.
SystemTask task_of_products(const ProblemSource& source, const RunInput& input) {
  SystemTask task = system_task(source.wish, {}, input);
  task.needs.deterministic = source.run.deterministic;
  return task;
}

/// Makes the matrix of a source in memory of the backend.
template <class ExecutionSpace, class Scalar>
struct MakeMatrix {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Matrix = CsrMatrix<Scalar, MemorySpace>;

  const ExecutionSpace& exec;
  const OrderingOptions& ordering;
  RowRange rows;

  /// Makes the matrix in the order of the source.
  Matrix make(const Bench::MatrixSource& source) const {
    const Matrix A = std::visit(*this, source.source);
    if (std::holds_alternative<ProblemSource>(source.source)) return A;
    return order_matrix<ExecutionSpace, Scalar>(exec, ordering, {}, A).A;
  }

  /// Makes a matrix for which `is_circulant` holds.
  BlockCirculantMatrix<Scalar, MemorySpace> make_circulant(
      const Bench::MatrixSource& source) const {
    if (const auto* spec = std::get_if<Circulant>(&source.source))
      return block_circulant_from_block_row<ExecutionSpace, Scalar>(exec, generated(*spec),
                                                                    spec->blocks);
    const auto& problem = std::get<ProblemSource>(source.source);
    const RunInput input = input_of(problem);
    if (input.masks.any())
      throw ConfigError(
          "problem.mask, problem.ray_mask: products of a block-circulant matrix are timed with all "
          "rows and columns; remove the masks");
    return make_circulant_system<ExecutionSpace, Scalar>(exec, task_of_products(problem, input),
                                                         MatrixUse::matrix)
        .A;
  }

  Matrix operator()(const ProblemSource& source) const {
    if (source.problem.mesh) return on_mesh({source.problem, source.run});
    ProblemSource used = source;
    used.use.needs.filters = false;  // rows that a mask excludes are left out for any solver
    const RunInput input = input_of(used);
    if (!rows.is_all()) return part_of(input.rows);
    SystemTask task = task_of_products(source, input);
    task.wish.ordering = ordering;
    const auto A = make_ordered_matrix<ExecutionSpace, Scalar>(exec, task).A;
    require_seen_image(input, A.num_nonzeros());
    return A;
  }
  Matrix operator()(const StencilRows& source) const {
    return make_stencil<ExecutionSpace, Scalar>(exec, source);
  }
  Matrix operator()(const FileSource& source) const {
    return copy_to<MemorySpace>(exec, read_matrix<Scalar>(source.path));
  }
  template <class Generated>
  Matrix operator()(const Generated& source) const {
    return generated(source);
  }
  Matrix operator()(const Table1Source& source) const {
    if (source.file.empty()) return generated(source.matrix->profile);
    const Matrix A = (*this)(FileSource{source.file});
    // The file of rbs480a has one entry more than the table says.
    const Profile& printed = source.matrix->profile;
    require(A.num_rows == printed.rows && A.num_cols == printed.columns &&
                std::abs(A.num_nonzeros() - printed.entries) <= 1,
            source.file.string() + ": " + std::to_string(A.num_rows) + " rows and " +
                std::to_string(A.num_nonzeros()) + " entries; the matrix of Table I has " +
                std::to_string(printed.rows) + " and " + std::to_string(printed.entries));
    return A;
  }

 private:
  /// Makes some of the rows. The entries are counted first, to check that they fit in memory.
  Matrix part_of(const RowSource& source) const {
    require(!traits_of(source).is_circulant,
            "rows does not apply to block-circulant matrices, which are measured as a whole");
    const Ordinal all = num_rows(source);
    if (rows.end > all)
      throw ConfigError("bench.matrices: rows: [" + std::to_string(rows.begin) + ", " +
                        std::to_string(rows.end) +
                        "] exceeds the rows of the scan: " + std::to_string(all));
    constexpr double entry = sizeof(Ordinal) + sizeof(Scalar);
    require_memory(static_cast<double>(count_nonzeros(exec, source, rows)) * entry +
                       static_cast<double>(rows.size(all)) * sizeof(Offset),
                   available_memory(exec));
    return build_rows<ExecutionSpace, Scalar>(exec, source, rows);
  }

  /// Makes the matrix of a problem on a mesh. `rcm` orders its vertices, whose unknowns stay
  /// together.
  Matrix on_mesh(const MeshMatrixSource& mesh) const {
    if (ordering.rows == Ordering::rcm)
      return mesh.make_matrix<ExecutionSpace, Scalar>(exec, ordering);
    const Matrix A = mesh.make_matrix<ExecutionSpace, Scalar>(exec);
    return order_matrix<ExecutionSpace, Scalar>(exec, ordering, {}, A).A;
  }

  template <class Source>
  Matrix generated(const Source& source) const {
    // An entry needs its position and the arrays beside it. A row needs its length, its offset and
    // the position of the next entry.
    constexpr double entry = 3 * sizeof(Ordinal) + sizeof(Scalar);
    constexpr double row = 3 * sizeof(Offset);
    require_memory(entry_count(source) * entry + row_count(source) * row, available_host_memory());
    return copy_to<MemorySpace>(exec, generate<Scalar>(source));
  }
};

/// Reads the input of a problem other than its matrix, and warns of suspicions. The mesh of a
/// problem is read when its matrix is made.
void check_input(const Bench::MatrixSource& source) {
  if (const auto* problem = std::get_if<ProblemSource>(&source.source))
    if (!problem->problem.mesh) warn_of_suspicions(problem->run, input_of(*problem));
}

/// Origin of the matrix of a source, see `MatrixInfo`.
std::string origin_of(const Bench::MatrixSource& source) {
  if (const auto* problem = std::get_if<ProblemSource>(&source.source)) {
    if (const auto& mesh = problem->problem.mesh) return mesh->file.empty() ? "generated" : "file";
    return problem->problem.traits().is_read ? "file" : "tomography";
  }
  const auto* table = std::get_if<Table1Source>(&source.source);
  const bool from_file = std::holds_alternative<FileSource>(source.source) ||
                         (table != nullptr && !table->file.empty());
  return from_file ? "file" : "generated";
}

/// Order of the rays that are the rows of the matrix. Empty for other orders, for rays left by
/// masks and for other matrices.
RayGrid rays_of(const Bench::MatrixSource& source) {
  const auto* problem = std::get_if<ProblemSource>(&source.source);
  if (problem == nullptr || problem->problem.mesh || !source.rows.is_all() ||
      source.ordering.rows != Ordering::natural)
    return {};
  const RunInput input = input_of(*problem);
  const auto* rays = scan_of(input.rows);
  if (rays == nullptr || input.masks.any()) return {};
  RayGrid result{input.views, input.detectors};
  if (is_natural(source.ordering)) result.scan = {rays->volume, rays->scan, rays->projector};
  return result;
}

/// Makes the solver of \p own with its parameters, and its operator with \p A.
template <class ExecutionSpace, class Scalar>
ConfiguredRun<ExecutionSpace, Scalar> run_of(
    const ExecutionSpace& exec, const ConfiguredSolver& own,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, const RayGrid& rays) {
  NamedSolver solver{solver_name(own.params), own.params};
  if (auto* const blocks = std::get_if<BlockArtParams>(&solver.params))
    blocks->block_rows = own.needs.block_rows.value_or(A.num_rows);
  const MatrixGrids grids{0, 0, 0, rays.views, rays.detectors};
  SystemTask task = system_task(own.wish, own.needs);
  task.rows_are_rays = own.rows_are_rays;
  return {std::move(solver),
          [=] { return prepare_operator<ExecutionSpace, Scalar>(exec, task, A, grids).A; }};
}

/// Makes a matrix and measures it.
template <class ExecutionSpace, class Scalar>
void measure(const ExecutionSpace& exec, const BenchConfig& config,
             const Bench::MatrixSource& source, Suite<ExecutionSpace>& suite) {
  const MakeMatrix<ExecutionSpace, Scalar> maker{exec, source.ordering, source.rows};
  if (is_circulant(source)) {
    suite.template measure_circulant<Scalar>(source.name, maker.make_circulant(source),
                                             origin_of(source));
    return;
  }
  const auto A = maker.make(source);
  const RayGrid rays = rays_of(source);
  std::optional<ConfiguredRun<ExecutionSpace, Scalar>> run;
  if (config.configured_run)
    run = run_of<ExecutionSpace, Scalar>(exec, *config.configured_run, A, rays);
  const auto* problem = std::get_if<ProblemSource>(&source.source);
  const bool is_scan = problem != nullptr && !problem->problem.mesh;
  suite.template measure_matrix<Scalar>(
      source.name, A, is_scan ? "" : "an iteration needs the system matrix of a scan",
      origin_of(source), rays, run ? &*run : nullptr);
}

template <class ExecutionSpace>
BenchReport measure_all(const BenchConfig& config) {
  const ExecutionSpace exec;
  BenchOptions options = config.options;
  options.available_bytes = available_memory(exec);
  // On a GPU a launch and a wait cost about ten microseconds: less than a thousandth of a sample.
  options.timing.seconds_per_sample = Impl::is_host_space<ExecutionSpace> ? 2e-3 : 2e-2;
  Suite<ExecutionSpace> suite(
      exec, options, [](const std::string& what) { std::cerr << "bench: " << what << std::endl; });
  std::exception_ptr first_problem;
  bool measured = false;
  const auto& operations = options.operations;
  const bool on_matrices = !std::all_of(operations.begin(), operations.end(), is_on_vectors);
  for (const Bench::MatrixSource& source : config.matrices) {
    if (!on_matrices) break;
    for (const std::string& scalar : config.scalars) {
      visit_scalar(scalar, [&]<class Scalar>(std::type_identity<Scalar>) {
        std::cerr << "bench: " << source.name << ", " << scalar << ": making the matrix"
                  << std::endl;
        // A matrix that cannot be made must not prevent the measurement of the others.
        try {
          measure<ExecutionSpace, Scalar>(exec, config, source, suite);
          measured = true;
        } catch (const std::exception& problem) {
          std::cerr << "bench: " << source.name << ", " << scalar
                    << ": not measured: " << problem.what() << std::endl;
          suite.template skip_matrix<Scalar>(source.name, problem.what());
          if (!first_problem) first_problem = std::current_exception();
        }
      });
    }
  }
  if (std::any_of(operations.begin(), operations.end(), is_on_vectors)) {
    for (const Ordinal length : options.vector_sizes)
      for (const std::string& scalar : config.scalars)
        visit_scalar(scalar, [&]<class Scalar>(std::type_identity<Scalar>) {
          suite.template measure_vectors<Scalar>(length);
        });
    measured = true;
  }
  if (!measured) std::rethrow_exception(first_problem);
  return suite.report();
}

/// Reads a configuration. \p settings override the file, including its section bench.full.
BenchConfig read_config(const std::string& file, const std::vector<std::string>& settings,
                        bool is_full) {
  ConfigNode root = load_config(file, {});
  if (is_full) apply_full_study(root);
  for (const std::string& setting : settings) apply_setting(root, setting);
  return read_bench_config(root, config_name(file));
}

/// Writes the matrix \p name of a configuration, of a block-circulant one the first block row. In
/// `double` if the configuration measures in `double`.
int write_one(const BenchConfig& config, const std::string& config_file, const std::string& name,
              const std::string& file, bool is_quiet) {
  const auto source = std::find_if(config.matrices.begin(), config.matrices.end(),
                                   [&](const Bench::MatrixSource& s) { return s.name == name; });
  if (source == config.matrices.end()) {
    if (config.matrices.empty())
      throw ConfigError("--matrix: " + config_file + " lists no matrices");
    std::string names;
    for (const Bench::MatrixSource& other : config.matrices)
      names += (names.empty() ? "" : ", ") + other.name;
    throw ConfigError("--matrix: " + config_file + " has no matrix \"" + name +
                      "\"; it has: " + names);
  }
  const KokkosSession session(config.run.threads);
  impose(config.run.memory_limit);
  check_input(*source);
  const bool in_double = std::find(config.scalars.begin(), config.scalars.end(),
                                   scalar_name<double>()) != config.scalars.end();
  visit_scalar(std::string(in_double ? scalar_name<double>() : scalar_name<float>()),
               [&]<class Scalar>(std::type_identity<Scalar>) {
                 using Space = TOMOKKOS_HOST_SPACE;
                 const Space exec;
                 const MakeMatrix<Space, Scalar> maker{exec, source->ordering, source->rows};
                 HostCsrMatrix<Scalar> A;
                 if (is_circulant(*source)) {
                   const auto circulant = maker.make_circulant(*source);
                   A = copy_to<Kokkos::HostSpace>(
                       exec, block_row_from_block_circulant<Space, Scalar>(exec, circulant));
                   write_block_row(file, A, circulant.blocks);
                 } else {
                   A = copy_to<Kokkos::HostSpace>(exec, maker.make(*source));
                   write_matrix(file, A);
                 }
                 if (is_quiet) return;
                 std::cout << file << ": " << A.num_rows << " x " << A.num_cols << ", "
                           << A.num_nonzeros() << " nonzeros, "
                           << (is_circulant(*source) ? "first block row of " : "") << name << " of "
                           << config_file << " (" << scalar_name<Scalar>() << ")" << std::endl;
               });
  return exit_done;
}

const OutputKind json_output{"a result of tomokkos bench", [](const std::filesystem::path& file) {
                               const std::string head = Impl::first_bytes(file, 4096);
                               return head.starts_with("{") &&
                                      head.find("\"bandwidth\"") != std::string::npos;
                             }};

int bench(const BenchConfig& config, const std::string& json) {
  // Fail before the long measurement if the file cannot be written. Nothing of this attempt
  // remains.
  if (!json.empty()) AtomicFile::probe(json, json_output);

  const KokkosSession session(config.run.threads);
  impose(config.run.memory_limit);
  for (const Bench::MatrixSource& source : config.matrices) check_input(source);
  BenchReport report = visit_backend(config.run.backend,
                                     [&]<class ExecutionSpace>(std::type_identity<ExecutionSpace>) {
                                       return measure_all<ExecutionSpace>(config);
                                     });
  report.machine.versions.emplace_back("tomokkos", version());
  report.machine.versions.emplace_back("git", git_commit());
  write_table(std::cout, report);
  if (!json.empty()) {
    AtomicFile file(json, json_output);
    file.write(to_json(report));
    file.commit();
  }
  if (!report.results.empty()) return exit_done;
  std::cerr << "tomokkos: error: nothing was measured: no combination of the requested "
               "operations, formats and peers is possible"
            << std::endl;
  return exit_failed;
}

}  // namespace

void add_bench_options(CLI::App& app, int& exit_status) {
  struct Arguments {
    std::string file;
    std::vector<std::string> settings;
    std::string json;
    std::string matrix, written;  // for `tomokkos convert`
    bool is_full = false, is_quiet = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  app.footer(
      "The columns are explained in docs/benchmarks/method.md. docs/figures/plot_benchmarks.py "
      "draws figures "
      "from the file of --json.");
  app.add_option("config", arguments->file, "Configuration with or without a bench section")
      ->required();
  app.add_option("--set", arguments->settings,
                 "key.path=value: overrides a value of the file; may be repeated")
      ->type_size(1)
      ->allow_extra_args(false);
  app.add_option("--json", arguments->json, "File for the results in JSON");
  app.add_flag("--full", arguments->is_full, "Measure the whole study: also apply bench.full");
  // Passed on by `tomokkos convert`; not shown.
  CLI::Option* const matrix = app.add_option("--matrix", arguments->matrix)->group("");
  CLI::Option* const write =
      app.add_option("--write", arguments->written)->group("")->needs(matrix);
  matrix->needs(write);
  app.add_flag("--quiet", arguments->is_quiet)->group("")->needs(write);
  app.callback([arguments, &exit_status] {
    exit_status = guarded([&] {
      const BenchConfig config =
          read_config(arguments->file, arguments->settings, arguments->is_full);
      if (!arguments->written.empty())
        return write_one(config, arguments->file, arguments->matrix, arguments->written,
                         arguments->is_quiet);
      return bench(config, arguments->json);
    });
  });
}

}  // namespace Tomokkos
