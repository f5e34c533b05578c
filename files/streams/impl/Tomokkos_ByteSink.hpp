// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Destinations of bytes for the writers of large files.
#pragma once

#include <Tomokkos_AtomicFile.hpp>
#include <cstddef>
#include <filesystem>

namespace Tomokkos::Impl {

/// \brief Sequence of bytes that is written once, from the beginning.
class ByteSink {
 public:
  ByteSink() = default;
  virtual ~ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  /// \brief Appends \p bytes bytes or throws `OutputError`.
  virtual void write(const void* data, std::size_t bytes) = 0;
  /// \brief Completes the output. Without it nothing appears.
  virtual void commit() = 0;
};

/// \brief File that appears completely or not at all.
class FileSink final : public ByteSink {
 public:
  FileSink(const std::filesystem::path& path, const OutputKind& kind) : file_(path, kind) {}
  void write(const void* data, std::size_t bytes) override { file_.write(data, bytes); }
  void commit() override { file_.commit(); }

 private:
  AtomicFile file_;
};

}  // namespace Tomokkos::Impl
