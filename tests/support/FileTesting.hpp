// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for tests of file formats.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "AnyOutput.hpp"
#include "Complaint.hpp"

namespace Tomokkos::Testing {

/// \brief Temporary folder that is removed with the object. Its path contains blanks.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tomokkos test XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  /// \brief Number of files and folders in the folder and below.
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::recursive_directory_iterator(path_),
                      std::filesystem::recursive_directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// \brief Returns the bytes of \p value in memory.
template <class T>
std::string bytes_of(const T& value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// \brief Returns the message of the \p Expected that \p action throws; the test fails for any
/// other result.
template <class Expected, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Expected& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no exception";
  return {};
}

/// \brief Writes \p bytes, followed by zeros up to \p size bytes that need no space on the disk.
inline void write_sparse(const std::filesystem::path& path, const std::string& bytes,
                         std::uint64_t size) {
  write_bytes(path, bytes);
  std::filesystem::resize_file(path, size);
}

/// \brief Limits this process to \p bytes more of address space during the lifetime of the object.
class NarrowAddressSpace {
 public:
  explicit NarrowAddressSpace(std::uint64_t bytes) {
    std::ifstream status("/proc/self/statm");
    std::uint64_t pages = 0;
    status >> pages;
    getrlimit(RLIMIT_AS, &before_);
    rlimit narrow = before_;
    narrow.rlim_cur = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
    setrlimit(RLIMIT_AS, &narrow);
  }
  ~NarrowAddressSpace() { setrlimit(RLIMIT_AS, &before_); }
  NarrowAddressSpace(const NarrowAddressSpace&) = delete;
  NarrowAddressSpace& operator=(const NarrowAddressSpace&) = delete;

 private:
  rlimit before_{};
};

/// \brief Expects that \p action throws `MemoryError` with \p file and \p bytes in its message.
template <class Action>
void expect_memory_error(const Action& action, const std::string& file, std::uint64_t bytes) {
  const std::string message = message_of<MemoryError>(action);
  for (const std::string& piece : {file, std::to_string(bytes) + " bytes"})
    EXPECT_NE(message.find(piece), std::string::npos) << "'" << piece << "' in: " << message;
}

/// \brief Expects that \p action throws `InputError` with all \p pieces in its message.
template <class Action, class... Pieces>
void expect_input_error(const Action& action, const Pieces&... pieces) {
  const std::string message = message_of<InputError>(action);
  const auto check = [&](const std::string& piece) {
    EXPECT_NE(message.find(piece), std::string::npos) << "'" << piece << "' in: " << message;
  };
  (check(pieces), ...);
}

/// \brief Expects that \p read throws `InputError` for every proper prefix of \p bytes (or every \p
/// step-th one), written to the file \p path.
template <class Read>
void expect_every_truncation_refused(const std::filesystem::path& path, const std::string& bytes,
                                     const Read& read, std::size_t step = 1) {
  for (std::size_t length = 0; length < bytes.size(); length += step) {
    write_bytes(path, bytes.substr(0, length));
    SCOPED_TRACE("cut to " + std::to_string(length) + " of " + std::to_string(bytes.size()));
    EXPECT_THROW(read(path), InputError);
  }
}

/// \brief Expects that every file with one byte of \p bytes changed is read or refused with an
/// `Error`, without a crash.
template <class Read>
void expect_no_crash_on_changed_bytes(const std::filesystem::path& path, const std::string& bytes,
                                      const Read& read) {
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    for (const int change : {0x01, 0xff}) {
      std::string changed = bytes;
      changed[place] = static_cast<char>(changed[place] ^ change);
      write_bytes(path, changed);
      try {
        read(path);
      } catch (const Error&) {
        // An error is as good as a result.
      } catch (const std::exception& error) {
        ADD_FAILURE() << "byte " << place << " ^ " << change << ": " << error.what();
      }
    }
  }
}

template <class Scalar>
using Entry = std::tuple<Ordinal, Ordinal, Scalar>;

/// \brief Makes a matrix from entries that are sorted by row and column.
template <class Scalar>
HostCsrMatrix<Scalar> make_matrix(Ordinal rows, Ordinal columns,
                                  const std::vector<Entry<Scalar>>& entries) {
  Kokkos::View<Offset*, Kokkos::HostSpace> offsets("offsets", static_cast<std::size_t>(rows) + 1);
  Kokkos::View<Ordinal*, Kokkos::HostSpace> indices("indices", entries.size());
  Kokkos::View<Scalar*, Kokkos::HostSpace> values("values", entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    ++offsets(std::get<0>(entries[k]) + 1);
    indices(k) = std::get<1>(entries[k]);
    values(k) = std::get<2>(entries[k]);
  }
  for (Ordinal i = 0; i < rows; ++i) offsets(i + 1) += offsets(i);
  HostCsrMatrix<Scalar> A;
  A.num_rows = rows;
  A.num_cols = columns;
  A.row_offsets = offsets;
  A.columns = indices;
  A.values = values;
  return A;
}

/// \brief Returns the entries of \p A in the order of its arrays.
template <class Scalar>
std::vector<Entry<Scalar>> entries_of(const HostCsrMatrix<Scalar>& A) {
  std::vector<Entry<Scalar>> entries;
  for (Ordinal i = 0; i < A.num_rows; ++i) {
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k) {
      entries.emplace_back(i, A.columns(k), A.values(k));
    }
  }
  return entries;
}

/// \brief Expects equal shape, pattern and values, and arrays of the lengths that the contract
/// requires.
template <class Scalar, class Other>
void expect_same(const HostCsrMatrix<Scalar>& A, const HostCsrMatrix<Other>& B) {
  ASSERT_EQ(A.num_rows, B.num_rows);
  ASSERT_EQ(A.num_cols, B.num_cols);
  ASSERT_EQ(A.row_offsets.extent(0), static_cast<std::size_t>(A.num_rows) + 1);
  ASSERT_EQ(A.row_offsets(0), 0);
  ASSERT_EQ(A.row_offsets(A.num_rows), A.num_nonzeros());
  ASSERT_EQ(A.columns.extent(0), A.values.extent(0));
  ASSERT_EQ(A.num_nonzeros(), B.num_nonzeros());
  for (Ordinal i = 0; i <= A.num_rows; ++i) ASSERT_EQ(A.row_offsets(i), B.row_offsets(i));
  for (Offset k = 0; k < A.num_nonzeros(); ++k) {
    ASSERT_EQ(A.columns(k), B.columns(k)) << "entry " << k;
    ASSERT_EQ(A.values(k), B.values(k)) << "entry " << k;
  }
}

/// \brief Matrices that are empty, without rows, without columns, 1 x n, n x 1, with empty rows,
/// with one long row, and random.
template <class Scalar>
std::vector<HostCsrMatrix<Scalar>> matrix_battery() {
  std::vector<HostCsrMatrix<Scalar>> battery;
  battery.push_back(make_matrix<Scalar>(0, 0, {}));
  battery.push_back(make_matrix<Scalar>(0, 5, {}));
  battery.push_back(make_matrix<Scalar>(5, 0, {}));
  battery.push_back(make_matrix<Scalar>(3, 4, {}));
  battery.push_back(make_matrix<Scalar>(1, 1, {{0, 0, Scalar(-0.1)}}));
  battery.push_back(make_matrix<Scalar>(1, 7, {{0, 0, 1}, {0, 3, Scalar(1e-30)}, {0, 6, -2}}));
  battery.push_back(make_matrix<Scalar>(4, 1, {{1, 0, Scalar(1e30)}, {3, 0, Scalar(1) / 3}}));
  std::vector<Entry<Scalar>> entries;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> value(-1, 1);
  for (Ordinal i = 0; i < 40; ++i) {
    for (Ordinal j = 0; j < 90; ++j) {
      const bool kept = i == 20 || (i % 5 != 0 && random() % 8 == 0);
      if (kept) entries.emplace_back(i, j, static_cast<Scalar>(value(random)));
    }
  }
  battery.push_back(make_matrix<Scalar>(40, 90, entries));
  return battery;
}

}  // namespace Tomokkos::Testing
