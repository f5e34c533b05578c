// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace Tomokkos::Testing {

/// \brief Returns a gzip file with the given content.
inline std::string gzip(const std::string& content) {
  std::string packed(content.size() + content.size() / 1000 + 100, '\0');
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  // The library takes a pointer to non-const but only reads.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("cannot be compressed");
  return packed;
}

}  // namespace Tomokkos::Testing
