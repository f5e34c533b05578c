// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parser of Matrix Market files. Builders of matrices use its entries.
#pragma once

#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_HostCsrBuilder.hpp>
#include <Tomokkos_InputFile.hpp>
#include <Tomokkos_Types.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace Tomokkos::Impl {

/// \brief Contents of the banner and the size line.
struct MatrixMarketHeader {
  enum class Field { real, integer, pattern };
  enum class Symmetry { general, symmetric, skew_symmetric };

  bool is_vector = false;
  bool is_array = false;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  /// Number of entries in the file, before the expansion of a symmetry.
  std::uint64_t num_entries = 0;

  Mirror mirror() const {
    if (symmetry == Symmetry::general) return Mirror::none;
    return symmetry == Symmetry::symmetric ? Mirror::same : Mirror::negated;
  }
};

/// \brief Reads a file entry by entry.
template <class Scalar>
class MatrixMarketParser {
 public:
  struct Entry {
    Ordinal row;
    Ordinal column;
    Scalar value;
  };

  /// \brief Opens the file and reads its header.
  MatrixMarketParser(const std::filesystem::path& path, bool allow_non_finite);

  const MatrixMarketHeader& header() const { return header_; }
  /// \brief Reads the next entry of the file (of an `array` by columns), with indices from 0.
  /// Returns false after the last one, after checking that the rest of the file is empty.
  bool next(Entry& entry);
  /// \brief Position `file:line: ` of the last entry.
  std::string where() const { return lines_.where(); }

 private:
  void read_banner();
  void read_sizes();
  bool next_content(std::string_view& line);
  void read_coordinate(std::string_view line, Entry& entry);
  void read_array_value(std::string_view line, Entry& entry);
  void check_symmetry(const Entry& entry);
  Ordinal parse_index(std::string_view& line, Ordinal limit, const char* what);
  Scalar parse_value(std::string_view& line);
  void expect_line_end(std::string_view line);

  LineReader lines_;
  MatrixMarketHeader header_;
  bool allow_non_finite_;
  std::uint64_t entries_read_ = 0;
  // Position in an `array`.
  Ordinal array_row_ = 0;
  Ordinal array_column_ = 0;
  // Lines of the first entry below and above the diagonal of a symmetric matrix.
  std::uint64_t below_line_ = 0;
  std::uint64_t above_line_ = 0;
};

}  // namespace Tomokkos::Impl
