// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_Half.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>
#include <type_traits>

namespace Tomokkos::Impl {

/// Points to values of a block-circulant matrix, which kernels read like an array of \p Scalar.
/// In float they may be rounded to 16 bits. Each value serves k sums, so that a branch for each
/// value costs little, and needs no second set of kernels.
template <class Scalar>
class CirculantValues {
 public:
  static constexpr bool may_be_rounded = std::is_same_v<Scalar, float>;

  template <class MemorySpace>
  explicit CirculantValues(const BlockCirculantMatrix<Scalar, MemorySpace>& A)
      : from_(A.is_rounded() ? static_cast<const void*>(A.halves.data()) : A.values.data()),
        rounded_(A.is_rounded()) {}

  KOKKOS_FORCEINLINE_FUNCTION bool rounded() const {
    if constexpr (may_be_rounded)
      return rounded_;
    else
      return false;
  }
  KOKKOS_FORCEINLINE_FUNCTION const Scalar* plain() const {
    return static_cast<const Scalar*>(from_);
  }
  KOKKOS_FORCEINLINE_FUNCTION const std::uint16_t* halves() const {
    return static_cast<const std::uint16_t*>(from_);
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar operator[](Offset e) const {
    if (rounded()) [[unlikely]]
      return static_cast<Scalar>(float_from_half(halves()[e]));
    return plain()[e];
  }
  KOKKOS_FORCEINLINE_FUNCTION CirculantValues operator+(Offset e) const {
    CirculantValues result = *this;
    if (rounded())
      result.from_ = halves() + e;
    else
      result.from_ = plain() + e;
    return result;
  }

 private:
  const void* from_;
  bool rounded_;
};

template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar load_gathered(const CirculantValues<Scalar>& from) {
  return from.rounded() ? static_cast<Scalar>(float_from_half(load_gathered(from.halves())))
                        : load_gathered(from.plain());
}

template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Pack<Scalar> load_streamed(const CirculantValues<Scalar>& from) {
  if (!from.rounded()) return load_streamed(from.plain());
  const ShortPack halves = load_streamed_shorts(from.halves());
  Pack<Scalar> result;
  for (int i = 0; i < pack_size; ++i)
    result.value[i] = static_cast<Scalar>(float_from_half(static_cast<std::uint16_t>(halves[i])));
  return result;
}

/// \brief True if packs may be read from \p values.
template <class Scalar>
bool is_pack_aligned(const CirculantValues<Scalar>& values) {
  return values.rounded()
             ? reinterpret_cast<std::uintptr_t>(values.halves()) % alignof(ShortPack) == 0
             : is_pack_aligned(values.plain());
}

}  // namespace Tomokkos::Impl
