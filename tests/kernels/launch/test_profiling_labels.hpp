// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every launch and every allocation has a label of the library, so that a profile of an application
// shows which work is ours.
#include <gtest/gtest.h>

#include <Tomokkos_BlockCirculantOperator.hpp>
#include <Tomokkos_ConeBeamMatrix.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_CsrOps.hpp>
#include <Tomokkos_EquationSystem.hpp>
#include <Tomokkos_FormatStatistics.hpp>
#include <Tomokkos_KaczmarzSchedule.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_PairRows.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <Tomokkos_SolveEquations.hpp>
#include <Tomokkos_SpmvPairBlocked.hpp>
#include <Tomokkos_Stencil.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>
#include <set>

#include "DeviceCsr.hpp"
#include "FlatFormat.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

std::set<std::string> launches, allocations, fences;
std::set<std::uint32_t> instances;
bool work_may_be_running = false;

void record_launch(const char* label, std::uint32_t instance, std::uint64_t*) {
  launches.insert(label);
  instances.insert(instance);
  work_may_be_running = true;
}
// Fences made by Kokkos itself depend on its version and on the profiling tool.
void record_fence(const char* label, std::uint32_t, std::uint64_t*) {
  fences.insert(label);
  if (std::string(label).find("Tomokkos::") != std::string::npos) work_may_be_running = false;
}
void record_allocation(Kokkos::Profiling::SpaceHandle, const char* label, const void*,
                       std::uint64_t) {
  allocations.insert(label);
}

/// Records the labels of all events during its lifetime.
class Recording {
 public:
  Recording() {
    launches.clear();
    allocations.clear();
    fences.clear();
    instances.clear();
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(record_launch);
    Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(record_launch);
    Kokkos::Tools::Experimental::set_begin_parallel_scan_callback(record_launch);
    Kokkos::Tools::Experimental::set_begin_fence_callback(record_fence);
    Kokkos::Tools::Experimental::set_allocate_data_callback(record_allocation);
  }
  ~Recording() {
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
    Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(nullptr);
    Kokkos::Tools::Experimental::set_begin_parallel_scan_callback(nullptr);
    Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr);
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
};

/// Kokkos labels its own work (filling a View, scratch of a reduction, fences of host memory).
/// Kokkos 3.4 leaves its thread-local memory without a label, which a profile shows as
/// `[unlabeled]`. A View of ours without a label would appear with an empty name.
bool is_ours_or_kokkos(const std::string& label) {
  return label.find("Tomokkos::") != std::string::npos ||
         label.find("Kokkos") != std::string::npos || label.rfind("HostSpace", 0) == 0 ||
         label.find("ScratchFlags") != std::string::npos ||
         label.find("ScratchSpace") != std::string::npos ||
         label.find("ScratchUnified") != std::string::npos || label == "[unlabeled]";
}

/// Least squares and a plain system, with locked variables and with several terms for one variable.
void run_equations(const TestSpace& exec) {
  for (const auto kind : {EquationKind::least_squares, EquationKind::plain}) {
    EquationSystem<float> system(4, {kind, true});
    system.lock(0);
    for (Ordinal i = 1; i < 4; ++i) system.row({{i, 2}, {i - 1, -1}, {i, 1}}, 1);
    // One variable occurs in more equations than one thread processes.
    if (kind == EquationKind::least_squares)
      for (int row = 0; row < 1500; ++row) system.row({{1, 1}, {2 + row % 2, 1}}, 1);
    auto assembled = system.assemble(exec);
    system.refill(exec, assembled);
    const auto x =
        allocate<MultiVector<float, TestSpace::memory_space>>(exec, "Tomokkos::test::x", 4, 1);
    assembled.rows().scatter(exec, assembled.rows().start(), x);
    const auto b = allocate<MultiVector<float, TestSpace::memory_space>>(
        exec, "Tomokkos::test::b", assembled.rows().num_rows(), 1);
    fill(exec, as_vector(b), 1.0F);
    assembled.set_right_hand_sides(exec, b);
    if (assembled.solver(exec) == EquationSolver::pcg)
      solve_equations<TestSpace, float>(exec, assembled, x);
    system.update_values<TestSpace>(exec, x);
  }
}

/// A ring of 18 crystals.
RingScanner small_ring() {
  RingScanner scanner = make_scanner(ScannerKind::madpet2_small);
  scanner.crystals = {1, 1};
  scanner.layers.resize(1);
  return scanner;
}

/// Uses the operator with every variant.
void run_circulant(const TestSpace& exec,
                   const BlockCirculantMatrix<float, TestSpace::memory_space>& A) {
  using MemorySpace = TestSpace::memory_space;
  const auto x = allocate<Vector<float, MemorySpace>>(exec, "Tomokkos::test::x", 2 * A.num_cols());
  const auto y = allocate<Vector<float, MemorySpace>>(exec, "Tomokkos::test::y", 2 * A.num_rows());
  fill(exec, x, 0.0F);
  const auto run = [&](const CirculantOperatorOptions<TestSpace, float>& options) {
    const BlockCirculantOperator<TestSpace, float> op(exec, A, options);
    for (const int s : {1, 2}) {
      const MultiVectorView<float, MemorySpace> X(x.data(), A.num_cols(), s);
      const MultiVectorView<float, MemorySpace> Y(y.data(), A.num_rows(), s);
      op.apply(exec, 1.0F, X, 0.0F, Y);
      op.apply_transpose(exec, 1.0F, Y, 0.5F, X);
    }
    op.row_sums(exec, VectorView<float, MemorySpace>(y.data(), A.num_rows()));
    op.column_sums(exec, VectorView<float, MemorySpace>(x.data(), A.num_cols()));
  };
  CirculantOperatorOptions<TestSpace, float> options;
  for (const auto& [variant, name] : EnumNames<CirculantVariant>::names) {
    if (variant == CirculantVariant::library) continue;
    options.variant = options.transpose_variant = variant;
    run(options);
  }
  options.transpose = TransposeMethod::direct;
  run(options);
}

/// Converts paired rows in both directions and multiplies with them.
void run_pairs(const TestSpace& exec, const CsrMatrix<float, TestSpace::memory_space>& A,
               const Vector<float, TestSpace::memory_space>& x,
               const Vector<float, TestSpace::memory_space>& y) {
  using MemorySpace = TestSpace::memory_space;
  const auto pairs = pair_blocked_from_csr(exec, A);
  validate(exec, pairs);
  const VectorView<float, MemorySpace> of_columns(x.data(), A.num_cols);
  const VectorView<float, MemorySpace> of_rows(y.data(), A.num_rows);
  const SpmvPlan<TestSpace, PairBlockedMatrix<float, MemorySpace>> forward(exec, pairs);
  spmv(exec, forward, pairs, 1.0F, of_columns, 0.0F, of_rows);
  for (const auto method : {PairTranspose::atomic, PairTranspose::fixed_point}) {
    const PairBlockedPlan<TestSpace, float> plan(exec, pairs, method);
    spmv_transpose<TestSpace, float>(exec, plan, pairs, 1.0F, of_rows, 0.5F, of_columns);
    // y has room for two vectors of rows.
    const MultiVectorView<const float, MemorySpace> X(y.data(), A.num_rows - 1, 2);
    const MultiVectorView<float, MemorySpace> Y(x.data(), A.num_cols, 2);
    plan.reserve(exec, 2);
    spmm_transpose<TestSpace, float>(exec, plan, pairs, {1, A.num_rows}, 1.0F, X, 0.5F, Y);
    spmm<TestSpace, float>(exec, pairs, {1, A.num_rows}, 1.0F, Y, 0.5F,
                           MultiVectorView<float, MemorySpace>(y.data(), A.num_rows - 1, 2));
  }
  const auto index = pair_row_index<TestSpace, float>(exec, pairs);
  const PairRows<float, MemorySpace> rows(pairs, index);
  rows_kaczmarz_sweep_levels(
      exec, rows, make_rows_kaczmarz_schedule(exec, rows, {}, rows_squared_norms(exec, rows)), {},
      VectorView<const float, MemorySpace>(of_rows), of_columns);
  to_csr<TestSpace, float>(exec, pairs);
}

void run_everything(const TestSpace& exec) {
  using MemorySpace = TestSpace::memory_space;
  ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(7);
  scan.detectors = 23;
  const VolumeGeometry volume{16, 16, 1.0};
  for (const auto projector : {Projector::line, Projector::linear, Projector::strip})
    build_system_matrix<TestSpace, float>(exec, volume, scan, projector);
  build_scanner_matrix<TestSpace, float>(exec, {4, 8, 8, 5.0, 5.0}, small_ring());
  run_circulant(exec, build_cone_beam_matrix<TestSpace, float>(
                          exec, {8, 9, 5, 4, 7, 1}, {7, {9, 8}, {2, 2}, {0, 0}, 20, 11, 1}));
  const auto A = build_stencil_matrix<TestSpace, float>(exec, 27, 6, 6, 6);
  validate(exec, A);
  const auto x = allocate<Vector<float, MemorySpace>>(exec, "Tomokkos::test::x", A.num_cols * 2);
  const auto y = allocate<Vector<float, MemorySpace>>(exec, "Tomokkos::test::y", A.num_rows * 2);
  fill(exec, x, 0.0F);
  const auto sums = allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::test::sums", 1);
  const ReductionWorkspace<MemorySpace> workspace(exec);
  for (const auto method :
       {TransposeMethod::stored, TransposeMethod::atomic, TransposeMethod::windowed})
    for (const auto variant :
         {SpmvVariant::scalar, SpmvVariant::team_vector, SpmvVariant::staged,
          SpmvVariant::merge_path, SpmvVariant::spmv4gpu, SpmvVariant::merge_atomic}) {
      OperatorOptions options;
      options.transpose = method;
      options.spmv.variant = options.transpose_spmv.variant = variant;
      const CsrOperator<TestSpace, float> op(exec, A, options);
      for (const int s : {1, 2}) {
        const MultiVectorView<const float, MemorySpace> X(x.data(), A.num_cols, s);
        const MultiVectorView<float, MemorySpace> Y(y.data(), A.num_rows, s);
        op.apply(exec, 1.0F, X, 0.0F, Y);
        op.apply_transpose(exec, 1.0F, X, 0.0F, Y);
      }
      const VectorView<const float, MemorySpace> b(x.data(), A.num_rows);
      const VectorView<float, MemorySpace> d(y.data(), A.num_cols);
      op.kaczmarz_sweep(exec, {}, b, d);
      op.kaczmarz_sweep_levels(exec, *op.kaczmarz_schedule(exec, {}), {}, b, d);
      op.diagonal(exec, d);
      op.scaled(exec, b);
    }
  for (const auto& [variant, name] : EnumNames<TransposeVariant>::names)
    if (has_transpose_variant(variant, !Impl::is_host_space<TestSpace>))
      transpose(exec, A, {variant});
  SpmvOptions cut;  // also applies to hosts
  cut.variant = SpmvVariant::merge_path;
  cut.items_per_tile = 64;
  const SpmvPlan<TestSpace, CsrMatrix<float, MemorySpace>> plan(exec, A, cut);
  spmv(exec, plan, A, 1.0F, VectorView<const float, MemorySpace>(x.data(), A.num_cols), 0.0F,
       VectorView<float, MemorySpace>(y.data(), A.num_rows));
  for (const auto format : {MatrixFormat::coo, MatrixFormat::ell, MatrixFormat::ell_r,
                            MatrixFormat::hyb, MatrixFormat::sell, MatrixFormat::bcsr,
                            MatrixFormat::packed_csr, MatrixFormat::pair_blocked}) {
    FlatFormat options;
    options.format = format;
    if (format == MatrixFormat::pair_blocked) options.transpose = TransposeMethod::fixed_point;
    const auto op = make_format_operator<TestSpace, float>(exec, A, options).A;
    for (const int s : {1, 2})
      op.apply(exec, 1.0F, MultiVectorView<const float, MemorySpace>(x.data(), A.num_cols, s), 0.0F,
               MultiVectorView<float, MemorySpace>(y.data(), A.num_rows, s));
  }
  run_pairs(exec, A, x, y);
  SpmmWorkspace<float, MemorySpace> turned;
  spmm(exec, turned, A, 1.0F, ColumnMajorView<const float, MemorySpace>(x.data(), A.num_cols, 2),
       0.5F, ColumnMajorView<float, MemorySpace>(y.data(), A.num_rows, 2));
  const auto order = make_index_map(exec, A.num_rows, hilbert_order(8, 27));
  validate(exec, order);
  csr_interleaved(exec, csr_mapped(exec, A, order, order), 8);
  gather(exec, order, VectorView<const float, MemorySpace>(x.data(), A.num_cols),
         VectorView<float, MemorySpace>(y.data(), A.num_cols));
  format_statistics(exec, A);
  run_equations(exec);
  dot(exec, workspace, x, y, sums);
  axpby(exec, 1.0F, x, 0.5F, y);
  Impl::fence(exec, "test: everything has run");
}

}  // namespace

TEST(ProfilingLabels, every_launch_and_allocation_is_named) {
  {
    const Recording recording;
    run_everything(TestSpace());
  }
  EXPECT_GE(launches.size(), 12U);
  EXPECT_GE(allocations.size(), 8U);
  for (const auto& label : launches) EXPECT_TRUE(is_ours_or_kokkos(label)) << label;
  for (const auto& label : allocations) EXPECT_TRUE(is_ours_or_kokkos(label)) << label;
  for (const char* expected :
       {"Tomokkos::spmv::csr::scalar", "Tomokkos::spmv::csr::team_vector",
        "Tomokkos::spmv::csr::merge_path", "Tomokkos::spmv::csr::merge_path::carries"})
    EXPECT_EQ(launches.count(expected), 1U) << expected;
}

// Kokkos reports fences since 3.5 and distinguishes instances of host spaces since 4.1.
#if KOKKOS_VERSION >= 40100
TEST(ProfilingLabels, only_the_given_instance_works_and_is_waited_for) {
  const auto exec = Impl::partition_space(TestSpace(), 2).at(1);
  {
    const Recording recording;
    run_everything(exec);
  }
  EXPECT_EQ(instances, std::set<std::uint32_t>{Kokkos::Tools::Experimental::device_id(exec)});
  for (const auto& label : fences) {
    EXPECT_TRUE(is_ours_or_kokkos(label)) << label;
    EXPECT_EQ(label.find("Unnamed"), std::string::npos) << label;
  }
}
#endif

// Another instance may at once use an object that one instance has set up.
TEST(ProfilingLabels, set_up_is_complete_on_return) {
#if KOKKOS_VERSION < 30500
  GTEST_SKIP() << "Kokkos before 3.5 does not report the fences of an instance";
#endif
  const TestSpace exec;
  ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(5);
  scan.detectors = 9;
  const auto plain = battery::make("square", 30, 30, [](int i) { return 1 + i % 7; });
  const auto A = to_device<TestSpace, float>(exec, plain);
  const auto scale = to_device<TestSpace, float>(exec, std::vector<double>(30, 2.0));
  SpmvOptions tiles;
  tiles.variant = SpmvVariant::merge_path;
  const Recording recording;
  const auto expect_complete = [](const char* what, const auto& set_up) {
    work_may_be_running = false;
    launches.clear();
    set_up();
    EXPECT_FALSE(launches.empty()) << what;
    EXPECT_FALSE(work_may_be_running) << what;
  };
  expect_complete("build_system_matrix", [&] {
    build_system_matrix<TestSpace, float>(exec, {8, 8, 1.0}, scan, Projector::line);
  });
  expect_complete("build_scanner_matrix", [&] {
    build_scanner_matrix<TestSpace, float>(exec, {4, 8, 8, 5.0, 5.0}, small_ring());
  });
  expect_complete("scanner_row_offsets", [&] {
    scanner_row_offsets(exec, {4, 8, 8, 5.0, 5.0}, small_ring());
  });
  expect_complete("build_stencil_matrix",
                  [&] { build_stencil_matrix<TestSpace, float>(exec, 7, 4, 4, 4); });
  expect_complete("transpose", [&] { transpose(exec, A); });
  expect_complete("SpmvPlan", [&] {
    SpmvPlan<TestSpace, CsrMatrix<float, TestSpace::memory_space>>(exec, A, tiles);
  });
  tiles.variant = SpmvVariant::spmv4gpu;
  expect_complete("SpmvPlan, spmv4gpu", [&] {
    SpmvPlan<TestSpace, CsrMatrix<float, TestSpace::memory_space>>(exec, A, tiles);
  });
  const auto order = identity_map(exec, 30);
  expect_complete("csr_mapped", [&] { csr_mapped(exec, A, order, order); });
  expect_complete("pair_blocked_from_csr", [&] { pair_blocked_from_csr(exec, A); });
  expect_complete("csr_interleaved", [&] { csr_interleaved(exec, A, 4); });
  expect_complete("csr_scaled", [&] { csr_scaled(exec, A, scale, scale); });
  expect_complete("convert_values", [&] { convert_values<double>(exec, A); });
}

TEST(ProfilingLabels, the_judge_knows_a_stranger) {
  EXPECT_FALSE(is_ours_or_kokkos("spmv"));
  EXPECT_FALSE(is_ours_or_kokkos(""));
  EXPECT_FALSE(is_ours_or_kokkos("N8Tomokos4FooE"));
}
