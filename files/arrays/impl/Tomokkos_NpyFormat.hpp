// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's array format, as a separate file or as a member of an archive.
#pragma once

#include <Tomokkos_InputFile.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// \brief Contents of the header of an array.
struct NpyHeader {
  enum class Kind { boolean, signed_integer, unsigned_integer, floating, bytes, unicode };

  Kind kind = Kind::floating;
  std::size_t item_bytes = 0;
  /// True if the byte order of the file differs from that of the machine.
  bool swapped = false;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  /// Product of the shape.
  std::uint64_t count = 0;
  /// Type as written in the file, for messages.
  std::string descr;

  bool is_text() const { return kind == Kind::bytes || kind == Kind::unicode; }
  bool is_integer() const {
    return kind == Kind::boolean || kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  }
};

/// \brief Reads the header and checks that the rest of \p source has exactly the required number of
/// bytes. Throws `InputError` for anything except an array of numbers or text.
NpyHeader read_npy_header(ByteSource& source);

/// \brief Throws `InputError` if the values cannot be read as \p Target: text, or non-integer
/// numbers as integers.
template <class Target>
void check_npy_type(const ByteSource& source, const NpyHeader& header);

/// \brief Reads all values in the order of the file, converts them to \p Target and checks that the
/// source ends.
///
/// \tparam Target float, double, std::int32_t or std::int64_t. Integers are read only from integers
/// and must fit.
template <class Target>
void read_npy_values(ByteSource& source, const NpyHeader& header, Target* out,
                     bool allow_non_finite);

/// \brief Consecutive values of an array in the file.
struct NpyPart {
  std::uint64_t first;
  std::uint64_t count;
};

/// \brief Reads only the values of \p part. \p source must be positioned at the first of them.
template <class Target>
void read_npy_part(ByteSource& source, const NpyHeader& header, const NpyPart& part, Target* out,
                   bool allow_non_finite);

/// \brief Reads the single text of an array without shape: the format of a sparse matrix.
std::string read_npy_text(ByteSource& source, const NpyHeader& header);

/// \brief Creates the header that NumPy writes for a row-major array of \p shape: version 1.0,
/// padded to a multiple of 64 bytes. \p descr is a type such as `<f4`.
std::string npy_header_text(const std::string& descr, const std::vector<std::size_t>& shape);

/// \brief Type of \p T in NumPy's notation, in the byte order of this machine.
template <class T>
std::string npy_descr();

}  // namespace Tomokkos::Impl
