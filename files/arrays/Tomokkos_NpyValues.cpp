// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <impl/Tomokkos_NpyFormat.hpp>
#include <limits>
#include <type_traits>
#include <utility>

namespace Tomokkos::Impl {
namespace {

using Kind = NpyHeader::Kind;

constexpr std::size_t chunk_values = std::size_t{1} << 15;

/// 16-bit floating-point number: sign, 5 bits of exponent, 10 bits of mantissa (IEEE 754 binary16).
struct Half {
  std::uint16_t bits;
};

/// Converts a stored number. Every half is exact in float.
template <class Stored>
Stored number_of(Stored stored) {
  return stored;
}
float number_of(Half half) {
  const float sign = (half.bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  const int exponent = (half.bits >> 10) & 0x1f;
  const auto mantissa = static_cast<float>(half.bits & 0x3ffU);
  if (exponent == 0x1f)
    return mantissa == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

template <class Stored>
Stored load(const unsigned char* bytes, bool swapped) {
  unsigned char copy[sizeof(Stored)];
  std::memcpy(copy, bytes, sizeof(Stored));
  if (swapped) std::reverse(copy, copy + sizeof(Stored));
  Stored value;
  std::memcpy(&value, copy, sizeof(Stored));
  return value;
}

template <class Target, class Stored>
void convert_part(ByteSource& source, const NpyHeader& header, const NpyPart& part_of, Target* out,
                  bool allow_non_finite) {
  const std::uint64_t begin = source.position();
  const auto fail = [&](std::uint64_t index, const std::string& message) {
    source.fail_at(begin + index * sizeof(Stored),
                   Impl::text("value {} (counted from 0) {}", part_of.first + index, message));
  };
  using Number = decltype(number_of(Stored{}));
  const auto check_finite = [&](std::uint64_t index, Number stored) {
    if constexpr (std::is_floating_point_v<Number> && std::is_floating_point_v<Target>) {
      if (allow_non_finite || std::isfinite(out[index])) return;
      fail(index, std::isfinite(stored)
                      ? std::to_string(stored) + " exceeds the range of single precision"
                      : "is not finite");
    }
  };
  const bool direct = std::is_same_v<Target, Stored> && !header.swapped;
  std::vector<unsigned char> buffer(
      direct ? 0 : std::min<std::uint64_t>(chunk_values, part_of.count) * sizeof(Stored));
  for (std::uint64_t done = 0; done < part_of.count;) {
    const std::size_t part =
        static_cast<std::size_t>(std::min<std::uint64_t>(chunk_values, part_of.count - done));
    void* const place = direct ? static_cast<void*>(out + done) : buffer.data();
    source.read_exactly(place, part * sizeof(Stored), "the values");
    for (std::size_t k = 0; k < part; ++k) {
      if constexpr (std::is_same_v<Target, Stored>) {
        if (direct) {
          check_finite(done + k, out[done + k]);
          continue;
        }
      }
      const Number stored =
          number_of(load<Stored>(buffer.data() + k * sizeof(Stored), header.swapped));
      if constexpr (std::is_integral_v<Target> && std::is_integral_v<Stored>) {
        if (!std::in_range<Target>(stored)) {
          fail(done + k, Impl::text("is {}, beyond {} bits", stored, 8 * sizeof(Target)));
        }
      }
      out[done + k] = static_cast<Target>(stored);
      check_finite(done + k, stored);
    }
    done += part;
  }
}

}  // namespace

template <class Target>
void check_npy_type(const ByteSource& source, const NpyHeader& header) {
  if (header.is_text() || (std::is_integral_v<Target> && !header.is_integer())) {
    source.fail_at(0, std::string("the array should hold ") +
                          (std::is_integral_v<Target> ? "integers" : "numbers") +
                          ", but its type is " + header.descr);
  }
}

template <class Target>
void read_npy_values(ByteSource& source, const NpyHeader& header, Target* out,
                     bool allow_non_finite) {
  read_npy_part(source, header, {0, header.count}, out, allow_non_finite);
  source.expect_end();
}

template <class Target>
void read_npy_part(ByteSource& source, const NpyHeader& header, const NpyPart& part, Target* out,
                   bool allow_non_finite) {
  check_npy_type<Target>(source, header);
  const auto as = [&](auto stored) {
    convert_part<Target, decltype(stored)>(source, header, part, out, allow_non_finite);
  };
  const bool is_signed = header.kind == Kind::signed_integer;
  if (header.kind == Kind::floating) {
    if constexpr (std::is_floating_point_v<Target>) {
      if (header.item_bytes == 2) return as(Half{});
      if (header.item_bytes == 4) return as(float{});
      return as(double{});
    }
  }
  switch (header.item_bytes) {
    case 1:
      return is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    case 2:
      return is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    case 4:
      return is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
    default:
      return is_signed ? as(std::int64_t{}) : as(std::uint64_t{});
  }
}

template <class T>
std::string npy_descr() {
  const char order = std::endian::native == std::endian::little ? '<' : '>';
  return Impl::text("{}{}{}", order, std::is_floating_point_v<T> ? 'f' : 'i', sizeof(T));
}

#define TOMOKKOS_INSTANTIATE(T)                                                         \
  template void check_npy_type<T>(const ByteSource&, const NpyHeader&);                 \
  template void read_npy_values(ByteSource&, const NpyHeader&, T*, bool);               \
  template void read_npy_part(ByteSource&, const NpyHeader&, const NpyPart&, T*, bool); \
  template std::string npy_descr<T>();
TOMOKKOS_INSTANTIATE(float)
TOMOKKOS_INSTANTIATE(double)
TOMOKKOS_INSTANTIATE(std::int32_t)
TOMOKKOS_INSTANTIATE(std::int64_t)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Impl
