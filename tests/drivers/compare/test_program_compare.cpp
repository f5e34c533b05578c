// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tomokkos compare`: cases of one backend, records of other machines, and what it must find.
#include <Tomokkos_Npy.hpp>
#include <filesystem>

#include "Hdf5Testing.hpp"
#include "NeedsHdf5.hpp"
#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr const char* system_config = R"(run: {scalar: double}
problem: {type: linear_system, stencil: {points: 7, size: 8}, rhs: ones}
solver: {type: pcg}
)";

std::vector<std::string> record_of(const RunFolder& folder,
                                   const std::vector<std::string>& settings = {}) {
  return with_settings({"compare", folder / "c.yaml", "--record", folder / "r.yaml"}, settings);
}

/// Replaces the first \p from behind \p after in the record.
void change_record(const RunFolder& folder, const std::string& after, const std::string& from,
                   const std::string& to) {
  std::string text = read_bytes(folder / "r.yaml");
  const auto place = text.find(from, text.find(after));
  ASSERT_NE(place, std::string::npos);
  write_bytes(folder / "r.yaml", text.replace(place, from.size(), to));
}

TEST(ProgramCompare, finds_threads_and_formats_of_a_reconstruction_the_same) {
  const RunFolder folder(small_config);
  const ProgramResult result = run_well({"compare", folder / "c.yaml", "--backends", "openmp"});
  for (const char* part : {"as configured", "reference, 6 iterates, max_iterations after 5",
                           "threads: 1", "deterministic: true", "variant: crs_vector",
                           "transpose: atomic", "format: sell", "format: ell_r", "format: scsr",
                           "not possible: format: dia", "verdict: the same within rounding"})
    EXPECT_CONTAINS(result.out, part);
  // Nothing is written beside the configuration.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                          std::filesystem::directory_iterator()),
            1);
}

TEST(ProgramCompare, leaves_no_files_when_it_is_interrupted) {
  const RunFolder folder, temporary;
  write_bytes(folder / "c.yaml", small_config);
  ProgramOptions options;
  const std::string place = temporary.path().string();
  options.in_child = [&] { setenv("TMPDIR", place.c_str(), 1); };
  // The second case has begun.
  options.interrupt_after = "reference, 6 iterates";
  const ProgramResult result =
      run_program({"compare", folder / "c.yaml", "--backends", "openmp"}, options);
  EXPECT_EQ(result.status, 128 + SIGINT) << result.out << result.error;
  EXPECT_CONTAINS(result.error, "interrupted before there was a result");
  EXPECT_EQ(temporary.count(), 0U);
}

TEST(ProgramCompare, leaves_no_files_and_no_process_when_it_is_killed) {
  const RunFolder folder, temporary;
  write_bytes(folder / "c.yaml", small_config);
  const std::string place = temporary.path().string();
  ProgramOptions options;
  options.in_child = [&] { setenv("TMPDIR", place.c_str(), 1); };
  options.interrupt_signal = SIGKILL;
  // A case has begun that would take minutes.
  options.interrupt_when = [&] { return temporary.count() >= 3; };
  const ProgramResult result =
      run_program({"compare", folder / "c.yaml", "--set", "solver.iterations=3000000"}, options);
  EXPECT_EQ(result.status, 128 + SIGKILL);
  for (int i = 0; i < 1000 && temporary.count() > 0; ++i) usleep(10000);
  EXPECT_EQ(temporary.count(), 0U) << "the case goes on";
}

TEST(ProgramCompare, takes_a_record_of_another_format_and_order) {
  const RunFolder folder(square_config);
  run_well(record_of(folder, {"operator.format=csr"}));
  const auto against = [&](const std::string& setting) {
    return run_program({"compare", "--against", folder / "r.yaml", "--set", setting});
  };
  for (const char* way : {"{format: sell}", "{format: ray_tiles}", "{format: scsr}",
                          "{format: csr, ordering: tiles}", "{format: csr, transpose: atomic}"}) {
    const ProgramResult result = against(std::string("operator=") + way);
    EXPECT_EQ(result.status, 0) << way << result.out << result.error;
    EXPECT_CONTAINS(result.out, "verdict: the same within rounding (record: csr");
  }
  EXPECT_CONTAINS(against("operator={format: csr, ordering: tiles}").out,
                  "here: csr, ordering tiles)");
  EXPECT_EQ(against("run.scalar=float").status, 2) << "another precision is another run";
  // A wrong entry is found across formats.
  change_record(folder, "iteration: 8", "norm: ", "norm: 1");
  EXPECT_EQ(against("operator={format: sell}").status, 1);
}

TEST(ProgramCompare, finds_variants_of_a_linear_system_the_same) {
  const RunFolder folder(system_config);
  const ProgramResult result = run_well({"compare", folder / "c.yaml", "--backends", "openmp"});
  EXPECT_CONTAINS(result.out, "converged after");
  EXPECT_CONTAINS(result.out, "format: bcsr");
}

class RecordedSolver : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordedSolver, agrees_with_its_record_in_another_format_and_order) {
  const RunFolder folder(small_config);
  const std::string solver = std::string("solver=") + GetParam();
  run_well(record_of(folder, {solver}));
  const ProgramResult same =
      run_well({"compare", folder / "c.yaml", "--against", folder / "r.yaml", "--set", solver});
  EXPECT_CONTAINS(same.out, "equal");
  // Without a configuration, that of the record is run.
  run_well({"compare", "--against", folder / "r.yaml", "--set", "run.threads=1"});
}

INSTANTIATE_TEST_SUITE_P(Solvers, RecordedSolver,
                         ::testing::Values("{type: mlem, iterations: 6}",
                                           "{type: cgls, iterations: 6}", "{type: art, sweeps: 3}",
                                           "{type: sart, sweeps: 2}",
                                           "{type: lsmr, iterations: 6, check_every: 4}"));

TEST(ProgramCompare, names_the_first_iterate_that_differs_from_a_record) {
  const RunFolder folder(small_config);
  run_well(record_of(folder));
  // A sample of iterate 3 gets another sign or magnitude.
  change_record(folder, "iteration: 3", "samples: [", "samples: [1e3, ");
  expect_failure({"compare", "--against", folder / "r.yaml"}, {"samples: expected"});
  run_well(record_of(folder));
  change_record(folder, "iteration: 3", "norm: ", "norm: 1");
  expect_failure({"compare", "--against", folder / "r.yaml"}, {}, 1);
  run_well(record_of(folder));
  std::string text = read_bytes(folder / "r.yaml");
  const auto samples = text.find("samples: [", text.find("iteration: 3"));
  const auto first = samples + std::string("samples: [").size();
  text.replace(first, text.find(',', first) - first, "0.123");
  write_bytes(folder / "r.yaml", text);
  const ProgramResult result = expect_failure({"compare", "--against", folder / "r.yaml"},
                                              {"iterate 3 is the first that differs"}, 1);
  EXPECT_CONTAINS(result.out, "verdict: not the same");
}

TEST(ProgramCompare, refuses_a_record_of_another_configuration_before_it_computes) {
  const RunFolder folder(small_config);
  run_well(record_of(folder));
  expect_failure({"compare", folder / "c.yaml", "--against", folder / "r.yaml", "--set",
                  "solver.relaxation=0.5"},
                 {"solver.relaxation is 1 there and 0.5 here"});
  expect_failure({"compare", "--against", folder / "r.yaml", "--set", "run.scalar=double"},
                 {"this is a record in float, run.scalar is double"});
}

TEST(ProgramCompare, knows_input_files_by_their_contents) {
  const RunFolder folder(small_config);
  const std::vector<float> data(18 * 32, 1.5F);
  write_npy(folder / "a.npy", std::span<const float>(data), {18, 32});
  const std::vector<std::string> settings{"problem.phantom=null",
                                          "problem.sinogram=" + folder / "a.npy"};
  run_well(record_of(folder, settings));
  expect_failure({"compare", "--against", folder / "r.yaml"}, {"give its configuration"});
  // A copy under another name is the same input.
  std::filesystem::copy_file(folder / "a.npy", folder / "b.npy");
  const auto against = [&](const std::string& file) {
    return run_program({"compare", folder / "c.yaml", "--against", folder / "r.yaml", "--set",
                        "problem.phantom=null", "--set", "problem.sinogram=" + folder / file});
  };
  const ProgramResult renamed = against("b.npy");
  EXPECT_EQ(renamed.status, 0) << renamed.error;
  std::filesystem::create_directory(folder / "elsewhere");
  std::filesystem::copy_file(folder / "a.npy", folder / "elsewhere/a.npy");
  const ProgramResult moved = against("elsewhere/a.npy");
  EXPECT_EQ(moved.status, 0) << moved.error;
  std::vector<float> changed = data;
  changed[7] = 1.25F;
  write_npy(folder / "elsewhere/a.npy", std::span<const float>(changed), {18, 32});
  const ProgramResult other = against("elsewhere/a.npy");
  EXPECT_EQ(other.status, 2);
  EXPECT_CONTAINS(other.error, "input file 1 is a.npy");
}

#if defined(TOMOKKOS_TEST_HDF5)

TEST(ProgramCompare, knows_the_dataset_of_an_input_file) {
  TOMOKKOS_NEEDS_HDF5();
  const RunFolder folder(small_config);
  for (Hdf5Writer writer(folder / "two.h5"); const char* name : {"/a/data", "/b/data"})
    writer.put(name, {18, 32}, std::vector<double>(18 * 32, 1));
  const std::vector<std::string> settings{
      "problem.phantom=null",
      "problem.sinogram={file: " + (folder / "two.h5") + ", dataset: /a/data, flat: none}"};
  run_well(record_of(folder, settings));
  const auto against = [&](const std::string& dataset) {
    return run_program({"compare", folder / "c.yaml", "--against", folder / "r.yaml", "--set",
                        settings[0], "--set", settings[1], "--set",
                        "problem.sinogram.dataset=" + dataset});
  };
  EXPECT_EQ(against("/a/data").status, 0);
  const ProgramResult other = against("/b/data");
  EXPECT_EQ(other.status, 2);
  EXPECT_CONTAINS(other.error, "problem.sinogram.dataset is /a/data there and /b/data here");
}

#endif

TEST(ProgramCompare, refuses_a_rounding_that_this_program_does_not_measure) {
  const RunFolder folder(small_config);
  run_well(record_of(folder));
  change_record(folder, "iteration: 5", "rounding: ", "rounding: 1e300 # ");
  expect_failure({"compare", "--against", folder / "r.yaml"},
                 {"iterates: the rounding of iterate 5 is 1e+300, this program"});
}

TEST(ProgramCompare, refuses_bad_command_lines_and_files) {
  const RunFolder folder(small_config);
  expect_failure({"compare"}, {"compare needs a configuration, or a record"});
  expect_failure({"compare", folder / "c.yaml", "--backends", "openmp,abacus"},
                 {"--backends: abacus is not available in this program"});
  expect_failure(
      {"compare", folder / "c.yaml", "--record", folder / "r", "--against", folder / "r"}, {});
  expect_failure({"compare", folder / "c.yaml", "--runs", "2", "--forward", "scalar", "--csv",
                  folder / "s.csv"},
                 {"docs/figures/repeat_runs.py"});
  expect_failure({"compare", "--against", folder / "none.yaml"}, {"none.yaml"});
  expect_failure({"compare", "--against", folder / "c.yaml"}, {"c.yaml"});
  expect_failure({"compare", folder / "c.yaml", "--set", "solver.relaxatoin=1"}, {"relaxatoin"});
  expect_failure({"compare", folder / "c.yaml", "--record", folder / "none/r.yaml"},
                 {"none/r.yaml"}, 1);
}

}  // namespace
