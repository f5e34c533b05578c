// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_InputFile.hpp>
#include <Tomokkos_RawFile.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

namespace Tomokkos {

template <class T>
std::vector<T> read_raw(const std::filesystem::path& path, std::size_t expected_length,
                        std::string_view expected_name, const ReadOptions& options) {
  Impl::InputFile file(path);
  const auto bytes = Impl::checked_multiply(expected_length, sizeof(T));
  if (!bytes || *bytes != file.size()) {
    throw InputError(Impl::text("{}: has {} bytes, which are {} values of {} bytes, but {} is {}",
                                file.name(), file.size(), file.size() / sizeof(T), sizeof(T),
                                expected_name, expected_length));
  }
  Impl::require_memory(*bytes, "reading " + file.name() + " needs");
  std::vector<T> values(expected_length);
  file.read_exactly(values.data(), static_cast<std::size_t>(*bytes), "the values");
  file.expect_end();
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t k = 0; k < values.size() && !options.allow_non_finite; ++k) {
      if (std::isfinite(values[k])) continue;
      file.fail_at(k * sizeof(T), Impl::text("value {} (counted from 0) is not finite", k));
    }
  }
  return values;
}

template <class T>
void write_raw(const std::filesystem::path& path, std::span<const T> values) {
  // Nothing in such a file says what it is.
  const OutputKind kind{"a file of plain numbers", [](const std::filesystem::path& other) {
                          std::error_code error;
                          return std::filesystem::file_size(other, error) % sizeof(T) == 0 &&
                                 !error;
                        }};
  AtomicFile file(path, kind);
  file.write(values.data(), values.size_bytes());
  file.commit();
}

#define TOMOKKOS_INSTANTIATE(T)                                                                 \
  template std::vector<T> read_raw(const std::filesystem::path&, std::size_t, std::string_view, \
                                   const ReadOptions&);                                         \
  template void write_raw(const std::filesystem::path&, std::span<const T>);
TOMOKKOS_INSTANTIATE(std::int32_t)
TOMOKKOS_INSTANTIATE(float)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
