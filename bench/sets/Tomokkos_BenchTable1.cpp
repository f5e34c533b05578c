// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchTable1.hpp"

namespace Tomokkos::Bench {
namespace {

/// The row lengths of one line of the table.
struct Lengths {
  Ordinal rows;
  Offset entries;
  Ordinal longest;
  double sigma;
  Ordinal shortest, first_quartile, median, third_quartile;
  Ordinal width;       // of HYB's regular part: a length at two thirds that all the rest allow
  double ell_percent;  // "%ELL(HYB)"
  Ordinal run = 1;
};

struct Columns {
  ColumnPattern pattern;
  Ordinal block;
  Ordinal bandwidth;  // 0: all columns
};

Profile profile(const Lengths& lengths, const Columns& columns, std::uint64_t seed) {
  Profile result;
  result.rows = result.columns = lengths.rows;
  result.entries = lengths.entries;
  result.longest = lengths.longest;
  result.sigma = lengths.sigma;
  result.shortest = lengths.shortest;
  result.quantiles = {
      {0.25, lengths.first_quartile}, {0.5, lengths.median}, {0.75, lengths.third_quartile}};
  result.regular_width = lengths.width;
  result.regular_share = 0.01 * lengths.ell_percent;
  result.run = lengths.run;
  result.pattern = columns.pattern;
  result.block = columns.block;
  result.bandwidth = columns.bandwidth;
  result.seed = seed;
  return result;
}

std::vector<Table1Matrix> make_table() {
  constexpr auto random = ColumnPattern::random, banded = ColumnPattern::banded,
                 clusters = ColumnPattern::clusters, blocks = ColumnPattern::blocks,
                 views = ColumnPattern::views;
  std::vector<Table1Matrix> table;
  const auto add = [&](std::string_view name, std::string_view origin, const Lengths& lengths,
                       const Columns& columns) {
    table.push_back({name, origin, profile(lengths, columns, table.size() + 1)});
  };
  add("qh1484", "power network: neighbours in a wide band",
      {1484, 6110, 13, 1.60, 2, 3, 4, 4, 4, 86.8}, {banded, 1, 200});
  add("dw2048", "dielectric waveguide: grid lines", {2048, 10114, 8, 0.506, 3, 5, 5, 5, 5, 98.7},
      {clusters, 3, 130});
  add("rbs480a", "robotic control: groups of columns all over",
      {480, 17087, 36, 0.49, 35, 35, 36, 36, 36, 100.0, 8}, {clusters, 5, 0});
  add("gemat12", "power flow basis: scattered", {4929, 33111, 44, 3.01, 2, 5, 6, 8, 8, 90.7},
      {random, 1, 0});
  add("dw8192", "dielectric waveguide: grid lines", {8192, 41746, 8, 0.61, 3, 5, 5, 5, 5, 96.9},
      {clusters, 3, 260});
  add("mhd3200a", "magnetohydrodynamics: block tridiagonal, 16 unknowns",
      {3200, 68026, 33, 5.83, 1, 16, 22, 23, 23, 93.6}, {clusters, 8, 48});
  add("e20r4000", "driven cavity: two-dimensional elements",
      {4241, 131556, 62, 15.40, 8, 16, 30, 44, 36, 86.9, 4}, {clusters, 6, 400});
  // The matrix itself has 99.955 %.
  add("bcsstk24", "arena: structure with 6 unknowns per point",
      {3562, 159910, 57, 11.49, 15, 36, 51, 54, 54, 99.955, 12}, {blocks, 6, 600});
  add("mac_econ", "economic model: sectors coupled far apart",
      {206500, 1273389, 44, 4.43, 1, 3, 5, 8, 7, 81.1}, {banded, 1, 20000});
  add("qcd5_4", "lattice gauge theory: 3 unknowns per point",
      {49152, 1916928, 39, 0.0, 39, 39, 39, 39, 39, 100.0}, {blocks, 3, 12288});
  add("mc2depi", "Markov chain on a triangle of points, lines of about 1025",
      {525825, 2100225, 4, 0.08, 2, 4, 4, 4, 4, 100.0}, {banded, 1, 2050});
  add("rma10", "harbour: flow in three-dimensional elements",
      {46835, 2374001, 145, 27.78, 4, 29, 46, 70, 53, 81.3, 8}, {clusters, 4, 2000});
  add("cop20k_A", "accelerator cavity: mesh numbered without order",
      {121192, 2624331, 81, 13.79, 0, 18, 23, 23, 23, 82.8}, {clusters, 2, 0});
  add("wbp128", "back projection of 128 views to 128 x 128 pixels",
      {16384, 3933095, 256, 34.78, 128, 240, 256, 256, 256, 100.0, 32}, {views, 1, 0});
  add("dense2", "a dense matrix", {2000, 4000000, 2000, 0.0, 2000, 2000, 2000, 2000, 2000, 100.0},
      {banded, 1, 0});
  add("cant", "cantilever: elements in a narrow band, 3 unknowns per point",
      {62451, 4007383, 78, 14.06, 1, 51, 74, 75, 75, 99.7, 12}, {blocks, 3, 540});
  add("pdb1HYS", "protein: bonds and contacts of atoms, 3 unknowns each",
      {36417, 4344765, 204, 31.86, 18, 99, 123, 144, 137, 96.0, 12}, {blocks, 3, 6000});
  add("consph", "concentric spheres: elements, 3 unknowns per point",
      {83334, 6010480, 81, 19.08, 1, 72, 81, 81, 81, 100.0, 12}, {blocks, 3, 30000});
  add("shipsec1", "section of a ship: shells, 6 unknowns per point",
      {140874, 7813404, 102, 11.07, 24, 54, 54, 54, 54, 93.1, 12}, {blocks, 6, 10000});
  add("pwtk", "wind tunnel: shells, 6 unknowns per point",
      {217918, 11634424, 181, 4.74, 2, 54, 54, 54, 54, 99.4, 12}, {blocks, 6, 4000});
  add("wbp256", "back projection of 256 views to 256 x 256 pixels",
      {65536, 31413932, 512, 70.53, 256, 480, 512, 512, 512, 100.0, 64}, {views, 1, 0});
  return table;
}

}  // namespace

const std::vector<Table1Matrix>& table1() {
  static const std::vector<Table1Matrix> table = make_table();
  return table;
}

const Table1Matrix* find_table1(std::string_view name) {
  for (const Table1Matrix& matrix : table1())
    if (matrix.name == name) return &matrix;
  return nullptr;
}

}  // namespace Tomokkos::Bench
