// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix of a reconstruction, from its source to its operator.
#include <Tomokkos_ChooseComputed.hpp>
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_LongPhases.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_PreparedCirculant.hpp>
#include <Tomokkos_PreparedComputed.hpp>
#include <Tomokkos_PreparedSymmetric.hpp>
#include <Tomokkos_RankReport.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <cstdio>

namespace Tomokkos {
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::print_matrix(Ordinal rows, Ordinal columns,
                                                          Offset nonzeros, std::size_t bytes,
                                                          const std::string& how) {
  ranks_.together([&] { require_seen_image(input_, nonzeros); });
  exec_.fence();
  clock_.end();
  char text[160];
  std::snprintf(text, sizeof text, "matrix: %d x %d, %lld nonzeros, %.3g MB%s, %s", rows, columns,
                static_cast<long long>(nonzeros), 1e-6 * static_cast<double>(bytes), how.c_str(),
                describe_seconds(clock_.seconds("matrix")).c_str());
  progress_.message(text);
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::prepare_matrix() {
  task_ = system_task(config_, input_);
  if (communicator_) return prepare_on_ranks();
  PreparedOperator<ExecutionSpace, Scalar> prepared = prepare_whole_or_parts();
  if (why_stored_) prepared.report.set("not_computed", *why_stored_);
  if (config_.run.ranks.measure_sums) {
    run_.begin("measure");
    const RowStatistics& matrix = prepared.statistics;
    Description result = Description::map();
    result.set("count", 1);
    result.set("rows", std::array{matrix.rows});
    result.set("nonzeros", std::array{matrix.nonzeros});
    result.set("seconds",
               measure_products<ExecutionSpace, Scalar>(exec_, prepared.A, input_.slices,
                                                        uses_transpose(config_.solver.kind())));
    prepared.report.set("ranks", std::move(result));
  }
  return prepared;
}

/// True if the format `automatic` computes the entries because that is the fastest.
template <class ExecutionSpace, class Scalar>
bool Reconstruction<ExecutionSpace, Scalar>::prefers_computed() {
  const auto* const scan = std::get_if<ScanRows>(&task_.rows);
  if (!task_.wish.is_automatic() || scan == nullptr) return false;
  ComputedCriteria criteria;
  criteria.gpu = !Impl::is_host_space<ExecutionSpace>;
  // The report does not repeat what holds for every scan on a host.
  if (!criteria.gpu) return false;
  criteria.scalar_bytes = sizeof(Scalar);
  criteria.multiplies_all_rows = task_.needs.multiplies_all_rows();
  criteria.is_masked = task_.masks.any();
  criteria.vectors = task_.needs.vectors;
  criteria.nonzeros = sampled_nonzeros(exec_, task_.rows);
  why_stored_ = reason_against_computed(criteria, *scan);
  return !why_stored_;
}

/// Wishes of the run with `operator.format: computed`.
template <class ExecutionSpace, class Scalar>
OperatorWish Reconstruction<ExecutionSpace, Scalar>::with_computed_entries() const {
  OperatorWish computed = task_.wish;
  computed.set_format("computed");
  computed.ordering = default_ordering(task_.needs.subsets);
  if (task_.wish.ordering.rows != Ordering::subsets) computed.ordering.rows = Ordering::natural;
  return computed;
}

/// True if the run of a cone beam with the format `automatic` may store only the row of blocks.
template <class ExecutionSpace, class Scalar>
bool Reconstruction<ExecutionSpace, Scalar>::may_store_blocks() const {
  return task_.wish.is_automatic() && config_.run.overflow != Overflow::refused &&
         traits_of(task_.rows).is_circulant && !task_.needs.rows &&
         task_.wish.ordering == default_ordering(task_.needs.subsets);
}

/// True if a run whose matrix does not fit on a GPU computes the entries instead of dividing the
/// rows. The kernels of the scans are far faster than reading entries from host memory; tracing the
/// rays of a scanner never was.
template <class ExecutionSpace, class Scalar>
bool Reconstruction<ExecutionSpace, Scalar>::prefers_computed_to_parts() const {
  if (config_.run.overflow != Overflow::automatic) return false;
  // Measured shares of streamed rows would change the last bits from run to run.
  if (config_.run.deterministic || checkpoints_.is_used()) return true;
  const auto* const scan = std::get_if<ScanRows>(&task_.rows);
  return scan != nullptr && gpu_computed_costs(*scan, sizeof(Scalar)).has_value();
}

/// Prepares the matrix as a whole, or in parts for two backends and if it does not fit. The format
/// `automatic` computes the entries of a scan where that is the fastest. Where the matrix does not
/// fit, it takes the row of blocks of a cone beam, or computes the entries if they are those of a
/// scan or the rows cannot be divided.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar>
Reconstruction<ExecutionSpace, Scalar>::prepare_whole_or_parts() {
  if (!config_.run.host_backend.empty() || !config_.run.shares.empty()) return prepare_parts();
  if (prefers_computed()) {
    progress_.message(
        "the entries are computed in every product: the fastest format for this scan "
        "(operator.format: automatic)");
    choose(with_computed_entries());
    auto prepared = prepare_computed();
    prepared.report.set("chosen_by", "automatic");
    return prepared;
  }
  const bool may_compute = task_.wish.is_automatic() && config_.run.overflow != Overflow::refused &&
                           is_traced(task_.rows) &&
                           // The entries of a cone beam are computed for all voxels.
                           !(traits_of(task_.rows).is_circulant && !task_.masks.columns.empty());
  if (!may_overflow() && !may_compute && !may_store_blocks()) return prepare_on_one();
  const OperatorWish computed = with_computed_entries();
  bool computes = may_compute;
  const auto warn = [&](const MemoryError& error, const std::string& instead) {
    progress_.message("warning: " + std::string(error.what()) + "; " + instead);
  };
  const std::string computes_entries =
      "the entries are computed in every product instead (operator.format: computed)";
  try {
    return prepare_on_one();
  } catch (const MemoryError& error) {
    if (may_store_blocks()) {
      warn(error, "only the row of blocks is stored (operator.format: block_circulant)");
      OperatorWish blocks = task_.wish;
      blocks.set_format("block_circulant");
      blocks.transpose = TransposeMethod::stored;
      choose(std::move(blocks));
      try {
        return prepare_circulant();
      } catch (const MemoryError& of_blocks) {
        if (!may_compute) throw;
        warn(of_blocks, computes_entries);
      }
      choose(computed);
      return prepare_computed();
    }
    if (may_overflow() && may_compute) computes = prefers_computed_to_parts();
    warn(error, computes ? computes_entries
                         : "the rows that do not fit are streamed or left to the host "
                           "(run.overflow)");
  }
  if (!computes) return prepare_parts();
  choose(computed);
  return prepare_computed();
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::prepare_on_one() {
  if (builds_tiles_directly(task_)) return prepare_tiles();
  if (task_.wish.block_circulant()) return prepare_circulant();
  if (task_.wish.symmetric()) return prepare_symmetric();
  if (task_.wish.computed()) return prepare_computed();
  run_.begin("matrix");
  announce_matrix(progress_, config_, input_, "building the matrix");
  auto ordered = make_ordered_matrix<ExecutionSpace, Scalar>(exec_, task_);
  if (task_.needs.blocks) number_rows_by_visit(exec_, sweep_, task_.masks.rows, ordered);
  auto& [A, order] = ordered;
  order_ = std::move(order);
  checkpoints_.set_matrix(exec_, A);
  print_matrix(A.num_rows, A.num_cols, A.num_nonzeros(), A.memory_bytes(), "");

  run_.begin("operator");
  announce(progress_, preparation_of(config_), static_cast<double>(A.num_nonzeros()));
  MatrixGrids grids = grids_of(task_.rows);
  // The rays that a mask keeps do not form a grid.
  if (!task_.masks.rows.empty()) grids.views = grids.detectors = 0;
  auto prepared =
      prepare_operator<ExecutionSpace, Scalar>(exec_, task_, task_.wish, A, input_.slices, grids);
  run_.sample_memory();
  read_rhs(config_, natural_size(order_.rows, A.num_rows), input_);
  return prepared;
}

/// Builds ray tiles without a CSR of the whole matrix. The time of building and converting counts
/// as phase `matrix`.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::prepare_tiles() {
  run_.begin("matrix");
  announce_matrix(progress_, config_, input_, "building the matrix in ray tiles");
  auto tiles = make_direct_tiles<ExecutionSpace, Scalar>(exec_, task_, checkpoints_.is_used());
  order_ = std::move(tiles.order);
  const RowStatistics& matrix = tiles.statistics;
  checkpoints_.set_matrix(matrix.rows, matrix.columns, matrix.nonzeros, tiles.fingerprint);
  print_matrix(matrix.rows, matrix.columns, matrix.nonzeros, tiles.made.A.memory_bytes(),
               " in ray tiles");

  run_.begin("operator");
  auto prepared = prepare_built_operator<ExecutionSpace, Scalar>(
      exec_, task_, std::move(tiles.made), matrix,
      system_matrix_bytes<Scalar>(matrix.rows, matrix.nonzeros), input_.slices);
  Description blocks = Description::map(true);
  blocks.set("blocks", tiles.blocks);
  blocks.set("kept", tiles.kept);
  prepared.report.set("built", std::move(blocks));
  run_.sample_memory();
  read_rhs(config_, natural_size(order_.rows, matrix.rows), input_);
  return prepared;
}

/// Prepares a block-circulant matrix without expanding it.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar>
Reconstruction<ExecutionSpace, Scalar>::prepare_circulant() {
  run_.begin("matrix");
  announce_matrix(progress_, config_, input_, "building the row of blocks");
  auto system = make_circulant_system<ExecutionSpace, Scalar>(exec_, task_);
  auto& A = system.A;
  auto part = select_circulant(exec_, task_, system, all_rows.resolved(A.block_rows), A.block_rows);
  order_ = std::move(part.order);
  if (part.selection.subsets > 1) {
    rank_rows_.subset_begins = std::move(part.subset_begins);
    all_subsets_ = part.all_subsets;
  }
  const RowStatistics& matrix = part.statistics;
  std::uint64_t fingerprint = 0;
  if (checkpoints_.is_used())
    fingerprint = with_masks(csr_fingerprint<ExecutionSpace, Scalar>(exec_, positions_as_csr(A)),
                             task_.masks);
  checkpoints_.set_matrix(matrix.rows, matrix.columns, matrix.nonzeros, fingerprint);
  print_matrix(matrix.rows, matrix.columns, matrix.nonzeros, A.memory_bytes(),
               " as a row of " + std::to_string(A.blocks) + " blocks");

  run_.begin("operator");
  announce(progress_, preparation_of(config_), static_cast<double>(A.num_stored()));
  const Ordinal rows = A.num_rows();
  auto prepared = prepare_circulant_operator<ExecutionSpace, Scalar>(
      exec_, task_, std::move(A), part.selection, matrix, input_.slices);
  run_.sample_memory();
  read_rhs(config_, rows, input_);
  return prepared;
}

/// Prepares a symmetric matrix. Only the stored rays are traced.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar>
Reconstruction<ExecutionSpace, Scalar>::prepare_symmetric() {
  run_.begin("matrix");
  announce_matrix(progress_, config_, input_, "building the stored rays of the matrix");
  auto A = make_symmetric_system<ExecutionSpace, Scalar>(exec_, task_);
  order_ = built_order(exec_, task_);
  if (task_.needs.blocks) number_rays_by_visit(exec_, sweep_, task_.masks.rows, A.symmetry, order_);
  const RowStatistics matrix = expanded_statistics<ExecutionSpace, Scalar>(exec_, A);
  std::uint64_t fingerprint = 0;
  if (checkpoints_.is_used())
    fingerprint = with_masks(csr_fingerprint<ExecutionSpace, Scalar>(exec_, A.stored), task_.masks);
  checkpoints_.set_matrix(matrix.rows, matrix.columns, matrix.nonzeros, fingerprint);
  print_matrix(matrix.rows, matrix.columns, matrix.nonzeros, A.memory_bytes(),
               " as " + std::to_string(A.symmetry.num_stored) + " stored rays");

  run_.begin("operator");
  announce(progress_, preparation_of(config_), static_cast<double>(A.stored.num_nonzeros()));
  auto prepared =
      prepare_symmetric_operator<ExecutionSpace, Scalar>(exec_, task_, A, matrix, input_.slices);
  run_.sample_memory();
  read_rhs(config_, natural_size(order_.rows, matrix.rows), input_);
  return prepared;
}

/// Prepares products whose entries are computed. The rays are traced once, to count the entries;
/// all but those of scans once more, to bound the sums of the columns.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar>
Reconstruction<ExecutionSpace, Scalar>::prepare_computed() {
  run_.begin("matrix");
  announce_matrix(progress_, config_, input_, "tracing the rays");
  require_memory_to_build<ExecutionSpace, Scalar>(exec_, task_, MatrixUse::products);
  // The rows of a cone beam have no grid.
  order_ = traits_of(task_.rows).is_circulant ? file_order(exec_, task_, num_rows(task_.rows))
                                              : built_order(exec_, task_);
  order_by_visits();
  std::uint64_t fingerprint = 0;
  auto prepared = prepare_computed_operator<ExecutionSpace, Scalar>(
      exec_, task_, order_, checkpoints_.is_used() ? &fingerprint : nullptr);
  const RowStatistics& matrix = prepared.statistics;
  checkpoints_.set_matrix(matrix.rows, matrix.columns, matrix.nonzeros, fingerprint);
  print_matrix(matrix.rows, matrix.columns, matrix.nonzeros, prepared.A.memory_bytes(),
               " of rays, computed in every product");
  run_.sample_memory();
  read_rhs(config_, natural_size(order_.rows, matrix.rows), input_);
  return prepared;
}

/// Sets the wishes that the run has chosen by itself.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::choose(OperatorWish wish) {
  config_.matrix_operator = wish;
  task_.wish = std::move(wish);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template PreparedOperator<ExecutionSpace, Scalar>  \
  Reconstruction<ExecutionSpace, Scalar>::prepare_matrix();
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
