// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fuzz target consists of a reader, valid inputs, and checks after every success. To add a
// target, write a .cpp file with TOMOKKOS_FUZZ_TARGET and add its name to CMakeLists.txt.
#pragma once

#include <unistd.h>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Error.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <impl/Tomokkos_ZipArchive.hpp>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "../support/AnyOutput.hpp"

namespace Tomokkos::Fuzz {

struct Target {
  const char* name;
  /// Reads the bytes and checks the result. Returns false if an `Error` refused them. Any other
  /// exception is a finding.
  bool (*run)(const std::string& bytes);
  /// Small inputs that must be accepted.
  std::vector<std::string> (*seeds)();
};

/// All targets of the program.
inline std::vector<Target>& targets() {
  static std::vector<Target> list;
  return list;
}

struct Registration {
  explicit Registration(const Target& target) { targets().push_back(target); }
};
#define TOMOKKOS_FUZZ_TARGET(name, run, seeds) \
  static const Tomokkos::Fuzz::Registration registration_of_##name({#name, run, seeds})

/// Aborts the program when a promise is broken, so that the fuzzer notices.
inline void check(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// Message of the last refusal.
inline std::string& last_refusal() {
  static std::string text;
  return text;
}

/// Runs \p read. Returns false if it refuses its input.
template <class Read>
bool accepts(const Read& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    last_refusal() = error.what();
    return false;
  }
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Temporary file of this process, in memory if the system supports it. The destructor removes it.
class ScratchFile {
 public:
  ScratchFile(const std::string& name, const std::string& bytes = {}) {
    const std::filesystem::path memory = "/dev/shm";
    std::error_code error;
    path_ =
        (std::filesystem::is_directory(memory, error) ? memory
                                                      : std::filesystem::temp_directory_path()) /
        ("tomokkos_fuzz_" + std::to_string(getpid()) + "_" + name);
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  ~ScratchFile() {
    std::error_code error;
    std::filesystem::remove(path_, error);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Returns the bytes of the file that \p write creates at the given path.
template <class Write>
std::string bytes_written(const std::string& name, const Write& write) {
  const ScratchFile file(name);
  write(file.path());
  return read_file(file.path());
}

/// Checks the promises of every reader of matrices.
template <class Scalar>
void check_matrix(const HostCsrMatrix<Scalar>& A) {
  check(A.num_rows >= 0 && A.num_cols >= 0, "shapes are not negative");
  check(
      A.row_offsets.extent(0) == static_cast<std::size_t>(A.num_rows) + 1 && A.row_offsets(0) == 0,
      "row offsets begin with 0, one for each row and one more");
  check(A.columns.extent(0) >= static_cast<std::size_t>(A.num_nonzeros()) &&
            A.values.extent(0) >= static_cast<std::size_t>(A.num_nonzeros()),
        "each entry has a column and a value");
  for (Ordinal i = 0; i < A.num_rows; ++i) {
    check(A.row_offsets(i) <= A.row_offsets(i + 1), "row offsets do not fall");
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k) {
      check(A.columns(k) >= 0 && A.columns(k) < A.num_cols, "columns lie within the matrix");
      check(k == A.row_offsets(i) || A.columns(k - 1) < A.columns(k), "columns of a row rise");
      check(std::isfinite(A.values(k)), "values are finite");
    }
  }
}

template <class Values>
void check_finite(const Values& values) {
  for (const auto value : values) check(std::isfinite(value), "values are finite");
}

/// Returns an archive with correct checksums for any content of its members. A fuzzer alone could
/// not produce them. \param bytes sequence of members: number of the name, two bytes of length,
/// content
inline std::string archive_of(const std::vector<const char*>& names, const std::string& bytes) {
  std::vector<std::string> contents(names.size());
  std::vector<bool> present(names.size(), false);
  for (std::size_t place = 0; place + 3 <= bytes.size();) {
    const std::size_t member = static_cast<unsigned char>(bytes[place]) % names.size();
    const std::size_t length = static_cast<unsigned char>(bytes[place + 1]) * 256u +
                               static_cast<unsigned char>(bytes[place + 2]);
    contents[member] = bytes.substr(place + 3, length);
    present[member] = true;
    place += 3 + length;
  }
  std::vector<Impl::ZipMember> members;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (present[i])
      members.push_back(
          {names[i], {std::as_bytes(std::span(contents[i].data(), contents[i].size()))}});
  // The zip library writes no archive without members.
  if (members.empty()) return {};
  return bytes_written("members.npz",
                       [&](const auto& path) { Impl::write_zip(path, Testing::any_output, members, false); });
}

/// Returns the bytes from which `archive_of` creates \p archive.
inline std::string members_of(const std::vector<const char*>& names, const std::string& archive) {
  const ScratchFile file("archive.npz", archive);
  const Impl::ZipReader reader(file.path());
  std::string bytes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!reader.contains(names[i])) continue;
    const auto source = reader.open(names[i]);
    std::string content(static_cast<std::size_t>(source->size()), '\0');
    source->read_exactly(content.data(), content.size(), "a member");
    bytes += static_cast<char>(i);
    bytes += static_cast<char>(content.size() / 256);
    bytes += static_cast<char>(content.size() % 256);
    bytes += content;
  }
  return bytes;
}

}  // namespace Tomokkos::Fuzz
