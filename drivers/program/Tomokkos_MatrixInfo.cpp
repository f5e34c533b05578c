// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_BlockCirculantOperator.hpp>
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_ChooseRayTiles.hpp>
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixInfo.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_MatrixSymmetry.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_PackedRowsSizes.hpp>
#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_RayTilesCount.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_SteppedProducts.hpp>
#include <Tomokkos_SymmetricProjection.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>

namespace Tomokkos {
namespace {

/// Number of stored entries up to which a matrix is built to describe it: about two seconds and
/// half a gigabyte.
constexpr double largest_built = 3e7;

/// Bytes of a matrix by those of a scalar.
using BytesOfScalar = std::function<std::size_t(std::size_t scalar_bytes)>;

BytesOfScalar bytes_in_csr(Ordinal rows, Offset nonzeros) {
  return [=](std::size_t scalar_bytes) {
    return static_cast<std::size_t>(csr_bytes(scalar_bytes, rows, static_cast<double>(nonzeros)));
  };
}

BytesOfScalar sum_of(const BytesOfScalar& a, const BytesOfScalar& b) {
  return [=](std::size_t scalar_bytes) { return a(scalar_bytes) + b(scalar_bytes); };
}

/// Describes `value(sizeof(Scalar))` for every scalar, by the name of the scalar.
template <class Value>
Description by_scalar(const Value& value) {
  Description description = Description::map(true);
#define TOMOKKOS_ADD(SCALAR) description.set(scalar_name<SCALAR>(), value(sizeof(SCALAR)));
  TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_ADD)
#undef TOMOKKOS_ADD
  return description;
}

/// Describes how many rows have which length, in intervals of equal width, and the share of the
/// threads of a warp that wait for its longest row.
Description describe_lengths(const RowStatistics& statistics, const HostPattern& A) {
  constexpr Offset most_intervals = 16;
  constexpr Offset warp = 32;
  const Offset width = (statistics.longest - statistics.shortest) / most_intervals + 1;
  const Offset intervals = (statistics.longest - statistics.shortest) / width + 1;
  std::vector<Ordinal> counts(static_cast<std::size_t>(intervals), 0);
  Offset steps = 0;
  for (Offset first = 0; first < A.num_rows; first += warp) {
    const Offset end = std::min<Offset>(A.num_rows, first + warp);
    Offset longest = 0;
    for (Offset row = first; row < end; ++row) {
      const Offset length = A.length(static_cast<Ordinal>(row));
      ++counts[static_cast<std::size_t>((length - statistics.shortest) / width)];
      longest = std::max(longest, length);
    }
    steps += longest * (end - first);
  }
  Description from = Description::list();
  for (Offset i = 0; i < intervals; ++i) from.add(statistics.shortest + i * width);
  Description histogram = describe_map({{"from", from}, {"rows", counts}});
  if (steps > 0)
    histogram.set("waiting_in_warps",
                  1 - static_cast<double>(statistics.nonzeros) / static_cast<double>(steps));
  return histogram;
}

/// Converts \p value to the double with the same shortest decimal text.
double single(float value) {
  std::array<char, 32> text{};
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double result = value;
  std::from_chars(text.data(), end, result);
  return result;
}

/// Describes matrices in one precision on a backend.
template <class ExecutionSpace, class Scalar>
struct MatrixInfo {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Matrix = CsrMatrix<Scalar, MemorySpace>;

  const MatrixQuestions& asked;
  Description& node;
  ExecutionSpace exec = {};
  Description bytes = Description::map();  ///< of each format and precision

  void add_bytes(std::string_view name, const BytesOfScalar& of) { bytes.set(name, by_scalar(of)); }

  /// Adds what is known about a matrix that is not built.
  void add_not_built(Offset rows, Offset columns) {
    node.set("rows", rows).set("columns", columns).set("scalar", scalar_name<Scalar>());
    node.set("not_built", "the matrix is large; --exact builds it and adds its exact figures");
  }

  /// Adds the figures of a matrix, with the arrangement of its columns and rows as far as it is
  /// known.
  void add_figures(const Matrix& A, const MatrixGrids& grids, bool counts_collisions) {
    const auto row_offsets =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets);
    const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.columns);
    const HostPattern pattern{A.num_rows, A.num_cols, row_offsets, columns};
    add_rows(row_statistics<ExecutionSpace, Scalar>(exec, A), pattern);
    const Ordinal rows = grids.image_rows, width = grids.image_columns;
    const bool in_squares = rows > 0 && Offset{rows} * width == A.num_cols;
    std::vector<Ordinal> places;
    if (in_squares) {
      const auto map =
          make_index_map(TOMOKKOS_HOST_SPACE(), A.num_cols, square_pixel_order(rows, width));
      places.assign(map.from_natural.data(), map.from_natural.data() + A.num_cols);
    }
    const RayTilesCount tiles =
        count_ray_tiles(A.num_rows, A.num_cols, row_offsets, columns, {}, places);
    node.set("ray_tiles", describe_map({{"ordering", in_squares ? "squares" : "natural"},
                                        {"segments", tiles.segments},
                                        {"mean_segment", tiles.mean_segment()},
                                        {"suits", tiles.mean_segment() >= shortest_mean_segment}},
                                       true));
    add_formats(pattern, tiles);
    add_packed_rows(A, grids);
    add_pairs(A, "pair_blocked", 0, counts_collisions, node);
  }

  /// Adds the lengths of the rows. With them, three columns of Table I of Vazquez et al.: Max - Av,
  /// sigma / Av and ELL (HYB), the share of the entries in the regular part of HYB.
  void add_rows(const RowStatistics& statistics, const HostPattern& A) {
    const auto nonzeros = static_cast<double>(statistics.nonzeros);
    const double size = static_cast<double>(statistics.rows) * statistics.columns;
    node.set_all(matrix_description(statistics));
    node.set("density", size > 0 ? nonzeros / size : 0.0).set("scalar", scalar_name<Scalar>());
    if (statistics.nonzeros > 0)
      node.set("row_spread",
               describe_map(
                   {{"max_above_mean", static_cast<double>(statistics.longest) - statistics.mean},
                    {"sigma_over_mean", statistics.sigma / statistics.mean},
                    {"share_in_hyb_ell", static_cast<double>(hyb_regular_entries(A)) / nonzeros}},
                   true));
    if (A.num_rows > 0) node.set("row_histogram", describe_lengths(statistics, A));
  }

  /// Adds the bytes in each format, alone and with a stored transpose.
  void add_formats(const HostPattern& A, const RayTilesCount& tiles) {
    for (const FormatSize& size : format_sizes(A)) {
      const auto alone = [&](std::size_t scalar_bytes) { return size.bytes(scalar_bytes); };
      add_bytes(size.name, alone);
      if (size.name != "csr") continue;
      add_bytes("csr_with_stored_transpose", sum_of(alone, bytes_in_csr(A.num_cols, size.stored)));
      add_bytes("csr_with_windows", [&](std::size_t scalar_bytes) {
        return size.bytes(scalar_bytes) +
               static_cast<std::size_t>(bytes_of_windows(scalar_bytes, A.num_cols, tiles));
      });
    }
    // One copy serves both products.
    add_bytes("ray_tiles", [&](std::size_t scalar_bytes) { return tiles.bytes(2 + scalar_bytes); });
    for (const char* name : {"ray_tiles_half", "ray_tiles_scaled"})
      bytes.set(name, describe_map({{scalar_name<float>(), tiles.bytes(4)}}, true));
  }

  /// Adds the bytes of A x in packed rows, with rays in tiles if their arrangement is known.
  void add_packed_rows(const Matrix& A, const MatrixGrids& grids) {
    IndexMap<MemorySpace> rows;
    if (grids.views > 0 && Offset{grids.views} * grids.detectors == A.num_rows)
      rows = make_index_map(exec, A.num_rows, tiled_ray_order(grids.views, grids.detectors));
    bytes.set_all(packed_rows_sizes<ExecutionSpace, Scalar>(exec, A, rows));
  }

  /// Adds to \p result the description of \p A in pairs of rows: pairs, widths of the three
  /// sub-matrices, fill. Adds their bytes and \p beside as \p name. Adds nothing if a pair would
  /// have too many entries.
  void add_pairs(const Matrix& A, const char* name, std::size_t beside, bool counts_collisions,
                 Description& result) {
    PairBlockedSize size;
    try {
      size = pair_blocked_size<ExecutionSpace, Scalar>(exec, A);
    } catch (const Refused&) {
      return;
    }
    add_bytes(name, [&](std::size_t scalar_bytes) {
      return beside + pair_blocked_bytes(size, A.num_rows, scalar_bytes);
    });
    const auto nonzeros = static_cast<double>(A.num_nonzeros());
    Description pairs = describe_map(
        {{"pairs", size.pairs},
         {"sub_matrices", std::array{size.mixed_begin, size.mixed_end - size.mixed_begin,
                                     size.width - size.mixed_end}},
         {"fill", nonzeros > 0 ? static_cast<double>(size.stored) / nonzeros : 1.0}});
    if (counts_collisions) pairs.set("collisions", describe_collisions(A, size.groups));
    result.set("pair_blocked", std::move(pairs));
  }

  /// Describes the additions that lanes of a group in lock step would lose without atomics
  /// (`count_collisions`), with columns ascending and spread, and the groups without any.
  Description describe_collisions(const Matrix& A, Ordinal groups) {
    std::array<Offset, 2> all{};
    Ordinal groups_without = 0;
    for (const bool spread : {false, true}) {
      PairBlockedOptions options;
      options.spread_columns = spread;
      const auto pairs = copy_to<Kokkos::HostSpace>(
          exec, pair_blocked_from_csr<ExecutionSpace, Scalar>(exec, A, options));
      groups_without = 0;
      for (Ordinal group = 0; group < pairs.num_groups(); ++group) {
        const Offset here = count_collisions(pairs, group);
        all[spread ? 1 : 0] += here;
        if (here == 0) ++groups_without;
      }
    }
    return describe_map({{"ascending", all[0]},
                         {"spread", all[1]},
                         {"groups", groups},
                         {"groups_without", groups_without}},
                        true);
  }

  /// Ends the description of a matrix with its bytes and its symmetry.
  void add_symmetry(const Matrix& A) {
    node.set("memory_bytes", std::exchange(bytes, Description::map()));
    const MatrixSymmetry symmetry = matrix_symmetry<ExecutionSpace, Scalar>(exec, A);
    node.set("symmetry",
             describe_map({{"pattern", symmetry.pattern}, {"numeric", symmetry.numeric}}, true));
  }

  void add_circulant(const BlockCirculantMatrix<Scalar, MemorySpace>& A) {
    // A row of blocks has the arrays of a CSR matrix.
    const BytesOfScalar row = bytes_in_csr(A.block_rows, A.num_stored());
    add_bytes("row", row);
    add_bytes("row_with_stored_transpose", sum_of(row, bytes_in_csr(A.block_cols, A.num_stored())));
    add_bytes("expanded_csr", bytes_in_csr(A.num_rows(), A.num_nonzeros()));
    node.set("block_circulant", describe_circulant<ExecutionSpace, Scalar>(exec, A).set(
                                    "memory_bytes", std::exchange(bytes, Description::map())));
  }

  // --- Matrices from files, on the host.

  void add_host_matrix(const HostCsrMatrix<Scalar>& A) {
    // Needed: row lengths in two orders, column lengths and, for the symmetry check, the transpose.
    Impl::MemoryNeed need;
    need.add(static_cast<std::uint64_t>(A.num_rows), 3 * sizeof(Ordinal));
    if (A.num_rows == A.num_cols)
      need.add_csr(static_cast<std::uint64_t>(A.num_cols),
                   static_cast<std::uint64_t>(A.num_nonzeros()), sizeof(Scalar));
    need.require_available("the description of a matrix of " + std::to_string(A.num_rows) + " x " +
                           std::to_string(A.num_cols));
    const Matrix matrix = copy_to<MemorySpace>(exec, A);
    add_figures(matrix, {}, asked.collisions);
    add_symmetry(matrix);
  }

  /// Describes a csr4 file, without its entries if they do not fit in memory.
  void add_csr4(const std::string& file) {
    Csr4Reader reader(file);
    try {
      add_host_matrix(reader.read_rows<Scalar>(all_rows));
    } catch (const MemoryError& error) {
      node.set("rows", reader.num_rows()).set("columns", reader.num_cols());
      node.set("nonzeros", reader.num_nonzeros()).set("not_read", error.what());
    }
    const Csr4Scanner& scanner = reader.scanner();
    node.set("grid", scanner.grid);
    Description voxel = Description::list();
    for (const float length : scanner.voxel_size) voxel.add(single(length));
    node.set("voxel_size", std::move(voxel));
    node.set("crystal_layers", scanner.layers.size());
    node.set("blocks", scanner.blocks).set("block_size", scanner.block_size);
    node.set("rings", scanner.rings);
  }

  void add_file(const std::string& file) {
    const HostCsrMatrix<Scalar> row = read_matrix<Scalar>(file);
    add_host_matrix(row);
    const Ordinal given = asked.blocks, told = read_number_of_blocks(file).value_or(0);
    if (given > 0 && told > 0 && given != told)
      throw ConfigError("--blocks " + std::to_string(given) + ": " + file + " contains " +
                        std::to_string(told) + " blocks");
    const Ordinal blocks = std::max(given, told);
    if (blocks == 0) return;
    if (row.num_cols % blocks != 0)
      throw ConfigError("--blocks " + std::to_string(blocks) + ": the block row in " + file +
                        " has " + std::to_string(row.num_cols) +
                        " columns, which this number does not divide");
    add_circulant(block_circulant_from_block_row<ExecutionSpace, Scalar>(
        exec, copy_to<MemorySpace>(exec, row), blocks));
  }

  // --- Matrices of configurations.

  /// Describes the mesh of a problem and the matrix that is solved on it.
  void add_mesh_problem(const ProblemSection& problem, const RunSection& run) {
    const MeshMatrixSource source(problem, run);
    if (source.num_entries() <= largest_built || asked.exact || asked.collisions) {
      const Matrix A = source.make_matrix<ExecutionSpace, Scalar>(exec);
      add_figures(A, {}, asked.collisions);
      source.add_form_bytes(bytes);
      add_symmetry(A);
    } else {
      const auto rows = static_cast<Offset>(source.num_rows());
      add_not_built(rows, rows);
    }
    if (problem.kind == ProblemKind::parameterization) node.set("form", problem.form);
    node.set("mesh", source.mesh_description());
  }

  /// Describes the matrix of \p task, whose entries would be \p stored in number.
  void add_task(const SystemTask& task, const RunInput& input, double stored) {
    if (stored > largest_built && !asked.exact && !asked.collisions)
      return add_not_built(num_rows(task.rows), num_cols(task.rows));
    if (traits_of(task.rows).is_circulant) {
      if (asked.collisions)
        throw ConfigError("--collisions: has no effect on a block-circulant matrix");
      const auto A = make_block_row<ExecutionSpace, Scalar>(exec, task, MatrixUse::matrix);
      node.set_all(matrix_description(expanded_statistics<ExecutionSpace, Scalar>(exec, A)));
      node.set("scalar", scalar_name<Scalar>());
      return add_circulant(A);
    }
    const Matrix A = make_matrix<ExecutionSpace, Scalar>(exec, task, MatrixUse::matrix);
    require_seen_image(input, A.num_nonzeros());
    // Collisions are counted for the rays that the operator stores.
    add_figures(A, {0, input.volume.rows, input.volume.columns, input.views, input.detectors},
                asked.collisions && !task.wish.symmetric());
    if (scan_of(task.rows)) {
      add_stored_rays(task, bytes_in_csr(A.num_rows, A.num_nonzeros()));
      add_computed(task);
    }
    add_symmetry(A);
  }

  /// Adds `scsr`, the description of the stored rays of a scan: their number, their nonzeros, and
  /// the ratio of the bytes of the whole matrix in CSR to theirs; or the reason why the scan is
  /// refused. Adds the bytes of one copy with its maps, alone, with a stored transpose, and in
  /// pairs of rows.
  void add_stored_rays(const SystemTask& task, const BytesOfScalar& whole) {
    const auto& scan = *scan_of(task.rows);
    Description rays = Description::map();
    SymmetricProjection<Scalar, MemorySpace> A;
    try {
      A = build_symmetric_projection<ExecutionSpace, Scalar>(
          exec, scan.volume, scan.scan, scan.projector, task.masks.rows, task.masks.columns);
    } catch (const Error& error) {
      // The scan lacks the symmetries, or the rays do not fit in memory together with the matrix.
      node.set("scsr", rays.set("refused", error.what()));
      return;
    }
    const Offset nonzeros = A.stored.num_nonzeros();
    const auto one_copy = [&](std::size_t scalar_bytes) {
      const auto entries = static_cast<std::size_t>(nonzeros);
      return A.memory_bytes() - entries * sizeof(Scalar) + entries * scalar_bytes;
    };
    rays.set("stored_rays", A.stored.num_rows).set("stored_nonzeros", nonzeros);
    rays.set("compression", by_scalar([&](std::size_t scalar_bytes) {
               return static_cast<double>(whole(scalar_bytes)) /
                      static_cast<double>(one_copy(scalar_bytes));
             }));
    add_bytes("scsr", one_copy);
    add_bytes("scsr_with_stored_transpose",
              sum_of(one_copy, bytes_in_csr(A.stored.num_cols, nonzeros)));
    add_pairs(A.stored, "scsr_pair_blocked", A.symmetry.memory_bytes(), asked.collisions, rays);
    node.set("scsr", std::move(rays));
  }

  /// Adds the bytes of a scan whose entries are computed, with the workspace of one slice.
  void add_computed(const SystemTask& task) {
    const auto& scan = *scan_of(task.rows);
    using Map = IndexMap<MemorySpace>;
    const auto order = geometric_order(exec, {}, grids_of(task.rows), task.masks);
    const auto A =
        make_computed_projection(exec, scan.volume, scan.scan, scan.projector,
                                 order.rows.value_or(Map()), order.columns.value_or(Map()));
    add_bytes("computed", [&](std::size_t scalar_bytes) {
      const std::size_t values = scalar_bytes == sizeof(float)
                                     ? stepped_workspace_values<float>(A)
                                     : stepped_workspace_values<double>(A);
      return A.memory_bytes() + values * scalar_bytes;
    });
  }

  /// Estimates a run whose matrix is built from the geometry of rays: for each format that the
  /// configuration \p root of \p task allows, the bytes of the matrix and of the run, and whether
  /// they fit.
  Description estimate_runs(const ConfigNode& root, const SystemTask& task, const RunInput& input,
                            const PlanFacts& facts, std::string_view solver) {
    Description formats = Description::map();
    const auto add = [&](std::string_view name, const SystemTask& one) {
      const auto found = bytes_of_way(one, facts);
      if (!found) return;
      const PlaceBytes peak = found->peak();
      formats.set(
          name,
          describe_map({{"bytes", rounded_bytes(found->matrix)},
                        {"run_bytes", rounded_bytes(peak.device)},
                        {"fits", peak.device <= static_cast<double>(facts.machine.device_free) &&
                                     peak.host <= static_cast<double>(facts.machine.host_free)}},
                       true));
    };
    for (const std::string_view name : format_names()) {
      if (!task.wish.symmetric() && name == task.wish.format_name()) {
        add(name, task);
        continue;
      }
      ConfigNode changed = root;
      apply_setting(changed, "operator={format: " + std::string(name) + "}");
      try {
        const auto config = read_run_config(changed, ConfigUse::matrix, "");
        add(name, system_task(config.matrix_operator, config.needs(), input));
      } catch (const ConfigError&) {
        // The solver or the geometry excludes this format.
      }
    }
    const auto available = static_cast<double>(facts.machine.device_free);
    return describe_map({{"backend", backend_name<ExecutionSpace>()},
                         {"scalar", scalar_name<Scalar>()},
                         {"available_bytes", rounded_bytes(available)},
                         {"nonzeros", rounded_bytes(facts.sample.nonzeros)},
                         {"solver", solver},
                         {"formats", formats}});
  }
};

}  // namespace

void add_matrix_file(const std::string& file, const MatrixQuestions& asked, Description& node) {
  using HostSpace = TOMOKKOS_HOST_SPACE;
  static constexpr const char* names[] = {"matrix_market", "npz", "csr4"};
  const MatrixFileFormat format = matrix_file_format(file);
  node.set("format", names[static_cast<int>(format)]);
  if (format == MatrixFileFormat::csr4) {
    if (asked.blocks > 0) throw ConfigError("--blocks: has no effect on a csr4 file");
    return MatrixInfo<HostSpace, float>{asked, node}.add_csr4(file);
  }
  const char* scalar = matrix_file_precision(file) == FilePrecision::float32 ? "float" : "double";
  visit_scalar(scalar, [&]<class Scalar>(std::type_identity<Scalar>) {
    MatrixInfo<HostSpace, Scalar>{asked, node}.add_file(file);
  });
}

void add_matrix_of_problem(const ConfigNode& root, const RunConfig& config,
                           const MatrixQuestions& asked, Description& node) {
  node.set("format", "configuration");
  visit_backend(config.run.backend, [&]<class Space>(std::type_identity<Space>) {
    visit_scalar(config.run.scalar, [&]<class Scalar>(std::type_identity<Scalar>) {
      MatrixInfo<Space, Scalar> info{asked, node};
      if (config.problem.mesh) return info.add_mesh_problem(config.problem, config.run);
      PlanFacts facts;
      facts.slabs = plan_slabs(config.problem, sizeof(Scalar));
      if (facts.slabs) check_slabs(*facts.slabs, config.output, config.solver.stop);
      const RunInput input =
          read_input_of_matrix(config.problem, config.run, config.input_use(), facts.slabs);
      warn_of_suspicions(config.run, input);
      const SystemTask task = system_task(config.matrix_operator, config.needs(), input);
      Description estimates;
      if (is_traced(input.rows)) {
        facts.machine = machine_facts<Space, Scalar>(info.exec);
        facts.sample = sample_matrix(info.exec, input.rows, true);
        estimates = info.estimate_runs(root, task, input, facts, to_string(config.solver.kind()));
      }
      // A block-circulant matrix stores one block row.
      info.add_task(task, input, facts.sample.nonzeros / std::max<Ordinal>(1, input.blocks));
      if (!input.notes.items().empty()) node.set("data", input.notes);
      node.set_if("estimates", estimates);
    });
  });
}

}  // namespace Tomokkos
