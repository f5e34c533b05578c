// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small block-circulant matrix for the program, as a block row and whole.
#pragma once

#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npy.hpp>
#include <map>
#include <random>
#include <vector>

#include "ImageTesting.hpp"

namespace Tomokkos::Testing::CirculantProblem {

inline constexpr Ordinal block_rows = 30, block_cols = 9, blocks = 8;

/// Columns and values of each row.
using Entries = std::vector<std::map<Ordinal, double>>;

inline Entries block_row() {
  std::mt19937 random(7);
  Entries rows(block_rows);
  for (auto& row : rows)
    for (int e = 0; e < 20; ++e)
      row[static_cast<Ordinal>(random() % (block_cols * blocks))] =
          0.25 + static_cast<double>(random() % 64U) / 64;
  return rows;
}

/// Returns the whole matrix. Entries are in row p m_B + i and column j n_B + l with \p by_blocks,
/// otherwise in row i k + p and column l k + j.
inline Entries whole(const Entries& row, bool by_blocks) {
  Entries C(block_rows * blocks);
  for (Ordinal i = 0; i < block_rows; ++i)
    for (const auto& [column, value] : row[static_cast<std::size_t>(i)])
      for (Ordinal p = 0; p < blocks; ++p) {
        const Ordinal l = column % block_cols, j = (column / block_cols + p) % blocks;
        C[static_cast<std::size_t>(by_blocks ? p * block_rows + i : i * blocks + p)]
         [by_blocks ? j * block_cols + l : l * blocks + j] = value;
      }
  return C;
}

inline void write(const std::string& file, const Entries& rows, Ordinal columns) {
  Offset nonzeros = 0;
  for (const auto& row : rows) nonzeros += static_cast<Offset>(row.size());
  std::string text = "%%MatrixMarket matrix coordinate real general\n" +
                     std::to_string(rows.size()) + " " + std::to_string(columns) + " " +
                     std::to_string(nonzeros) + "\n";
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& [column, value] : rows[i])
      text += std::to_string(i + 1) + " " + std::to_string(column + 1) + " " +
              std::to_string(value) + "\n";
  write_bytes(file, text);
}

/// Data of an image that is not constant, in the order rotations.
inline std::vector<double> data(const Entries& row) {
  std::vector<double> b;
  for (const auto& entries : whole(row, false)) {
    double sum = 0;
    for (const auto& [column, value] : entries) sum += value * (1 + column % 5);
    b.push_back(sum);
  }
  return b;
}

/// Converts vectors of \p size entries per block from the order rotations to the order blocks.
inline std::vector<double> to_blocks(const std::vector<double>& x, Ordinal size) {
  std::vector<double> result(x.size());
  for (Ordinal i = 0; i < size; ++i)
    for (Ordinal p = 0; p < blocks; ++p)
      result[static_cast<std::size_t>(p * size + i)] = x[static_cast<std::size_t>(i * blocks + p)];
  return result;
}

/// Writes row.mtx, blocks.mtx, rotations.mtx, b.npy, b_blocks.npy and c.yaml to \p folder.
inline void write_files(const RunFolder& folder, const std::string& solver = "mlem") {
  const Entries row = block_row();
  write(folder / "row.mtx", row, block_cols * blocks);
  write(folder / "blocks.mtx", whole(row, true), block_cols * blocks);
  write(folder / "rotations.mtx", whole(row, false), block_cols * blocks);
  const std::vector<double> b = data(row);
  write_npy<double>(folder / "b.npy", b, {b.size()});
  write_npy<double>(folder / "b_blocks.npy", to_blocks(b, block_rows), {b.size()});
  write_bytes(folder / "c.yaml",
              "run: {scalar: double}\nproblem: {type: tomography, block_row: row.mtx, blocks: 8, "
              "rhs: b.npy}\nsolver: {type: " +
                  solver + ", iterations: 20}\noutput: {image: [npy]}\n");
}

}  // namespace Tomokkos::Testing::CirculantProblem
