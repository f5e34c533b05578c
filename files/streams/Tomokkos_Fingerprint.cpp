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

std::string fingerprint_of_file(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  Fingerprint result;
  std::vector<std::uint64_t> words(1 << 16);
  std::uint64_t bytes = 0;
  while (stream) {
    std::fill(words.begin(), words.end(), 0);
    stream.read(reinterpret_cast<char*>(words.data()),
                static_cast<std::streamsize>(words.size() * sizeof(std::uint64_t)));
    const auto read = static_cast<std::size_t>(stream.gcount());
    for (std::size_t i = 0; i < (read + 7) / 8; ++i) result.add(words[i]);
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
