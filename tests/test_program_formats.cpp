// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of the program in every format of the matrix.
#include <Tomokkos_Npy.hpp>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(ProgramFormats, EveryFormatGivesTheImageOfCsr) {
  const TemporaryFolder folder;
  write_text(folder / "c.yaml", small_config);
  run_well(folder, "csr", {"run.scalar=double"});
  const auto expected = read_npy<double>(folder / "csr/reconstruction.npy");
  for (const std::string format :
       {"{format: coo}", "{format: ell}", "{format: ell_r, sort_by_length: true}",
        "{format: hyb, quantile: 0.5}", "{format: sell, sigma: 0}",
        "{format: bcsr, block: 2, largest_fill: 10}"}) {
    run_well(folder, "out", {"run.scalar=double", "operator=" + format});
    const auto image = read_npy<double>(folder / "out/reconstruction.npy");
    ASSERT_EQ(image.data.size(), expected.data.size());
    for (std::size_t i = 0; i < image.data.size(); ++i)
      ASSERT_NEAR(image.data[i], expected.data[i], 1e-12) << format;
    EXPECT_CONTAINS(format, entry(folder / "out/report.yaml", "operator.format"));
    EXPECT_GE(std::stod(entry(folder / "out/report.yaml", "operator.fill")), 1.0) << format;
  }
  // What was chosen stands in the report, and is what runs.
  run_well(folder, "out", {"run.scalar=double", "operator={format: automatic}"});
  const auto image = read_npy<double>(folder / "out/reconstruction.npy");
  ASSERT_EQ(image.data.size(), expected.data.size());
  for (std::size_t i = 0; i < image.data.size(); ++i)
    ASSERT_NEAR(image.data[i], expected.data[i], 1e-12);
  EXPECT_EQ(entry(folder / "out/report.yaml", "operator.chosen_by"), "automatic");
  EXPECT_NE(entry(folder / "out/report.yaml", "operator.format"), "automatic");
  EXPECT_EQ(entry(folder / "out/report.yaml", "configuration.operator.format"), "automatic");
  // Rows alone are read from CSR.
  run_well(folder, "out", {"solver={type: art, sweeps: 2}", "operator={format: automatic}"});
  EXPECT_EQ(entry(folder / "out/report.yaml", "operator.format"), "csr");
  const ProgramResult refused = run_program(
      run_of(folder, "refused", {"operator={format: bcsr, block: 8, largest_fill: 1.1}"}));
  EXPECT_EQ(refused.status, 2);
  EXPECT_CONTAINS(refused.error, "operator.format: bcsr would store");
  EXPECT_FALSE(folder.has("refused"));
}

}  // namespace
