// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

namespace Tomokkos {

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

void Fingerprint::add(const void* data, std::size_t bytes) {
  const char* const begin = static_cast<const char*>(data);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin + at, std::min(sizeof word, bytes - at));
    add(word);
  }
}

std::string Fingerprint::text() const { return hexadecimal(sum_); }

template <class Scalar>
std::string fingerprint_of(std::span<const Scalar> values) {
  Fingerprint result;
  for (const Scalar value : values) {
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    result.add(word);
  }
  result.add(values.size());
  return result.text();
}

double fingerprint_number(const void* data, std::size_t bytes) {
  Fingerprint result;
  result.add(data, bytes);
  return result.number();
}

std::string fingerprint_of_file(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  Fingerprint result;
  std::vector<char> buffer(1 << 19);
  std::uint64_t bytes = 0;
  while (stream) {
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto read = static_cast<std::size_t>(stream.gcount());
    result.add(buffer.data(), read);
    bytes += read;
  }
  if (!stream.eof())
    throw InputError(file.string() + ": cannot be read (" + std::strerror(errno) + ")");
  result.add(bytes);
  return result.text();
}

#define TOMOKKOS_INSTANTIATE(Scalar) template std::string fingerprint_of(std::span<const Scalar>);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
