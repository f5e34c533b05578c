// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the writers of large files put their bytes.
#pragma once

#include <Tomokkos_AtomicFile.hpp>
#include <cstddef>
#include <filesystem>

namespace Tomokkos::Impl {

/// \brief A sequence of bytes that is written once, from the front.
class ByteSink {
 public:
  ByteSink() = default;
  virtual ~ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  /// \brief Appends \p bytes bytes or throws `OutputError`.
  virtual void write(const void* data, std::size_t bytes) = 0;
  /// \brief All is written: what was not committed does not appear.
  virtual void commit() = 0;
};

/// \brief A file that appears whole or not at all.
class FileSink final : public ByteSink {
 public:
  explicit FileSink(const std::filesystem::path& path) : file_(path) {}
  void write(const void* data, std::size_t bytes) override { file_.write(data, bytes); }
  void commit() override { file_.commit(); }

 private:
  AtomicFile file_;
};

}  // namespace Tomokkos::Impl
