// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_SliceFile.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_NpyArray.hpp>
#include <utility>

namespace Tomokkos {
namespace Impl {
namespace {

/// Reorders data whose first index runs fastest so that the last one does.
template <class Scalar>
std::vector<Scalar> to_row_major(const std::vector<Scalar>& data,
                                 const std::vector<std::size_t>& shape) {
  const std::size_t rank = shape.size();
  std::vector<std::size_t> strides(rank, 1);
  for (std::size_t d = 1; d < rank; ++d) strides[d] = strides[d - 1] * shape[d - 1];
  std::vector<std::size_t> index(rank, 0);
  std::vector<Scalar> result(data.size());
  std::size_t from = 0;
  for (std::size_t to = 0; to < result.size(); ++to) {
    result[to] = data[from];
    for (std::size_t d = rank; d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d]) break;
      from -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

}  // namespace

template <class Scalar>
HostArray<Scalar> read_npy_array(ByteSource& source, const ReadOptions& options) {
  const NpyHeader header = read_npy_header(source);
  check_npy_type<Scalar>(source, header);
  // Reordering needs a second array.
  const bool reorder = header.fortran_order && header.shape.size() > 1;
  MemoryNeed()
      .add(header.count, (reorder ? 2 : 1) * sizeof(Scalar))
      .require_available("reading " + source.name());
  HostArray<Scalar> array;
  array.shape.assign(header.shape.begin(), header.shape.end());
  array.data.resize(static_cast<std::size_t>(header.count));
  read_npy_values(source, header, array.data.data(), options.allow_non_finite);
  if (reorder) {
    array.data = to_row_major(array.data, array.shape);
  }
  return array;
}

FilePrecision npy_precision(const NpyHeader& header) {
  const std::size_t exact_bytes = header.kind == NpyHeader::Kind::floating ? 4 : 2;
  return header.item_bytes <= exact_bytes ? FilePrecision::float32 : FilePrecision::float64;
}

std::string npy_type_name(const NpyHeader& header) {
  using Kind = NpyHeader::Kind;
  const char* const name = header.kind == Kind::boolean            ? "bool"
                           : header.kind == Kind::signed_integer   ? "int"
                           : header.kind == Kind::unsigned_integer ? "uint"
                                                                   : "float";
  if (header.is_text()) return header.descr;
  return header.kind == Kind::boolean ? name : Impl::text("{}{}", name, 8 * header.item_bytes);
}

#define TOMOKKOS_INSTANTIATE(Scalar) \
  template HostArray<Scalar> read_npy_array(ByteSource&, const ReadOptions&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Impl

template <class Scalar>
HostArray<Scalar> read_npy(const std::filesystem::path& path, const ReadOptions& options) {
  Impl::InputFile file(path);
  return Impl::read_npy_array<Scalar>(file, options);
}

template <class Scalar>
HostArray<Scalar> read_npy_range(const std::filesystem::path& path, std::size_t axis,
                                 std::size_t first, std::size_t count, const ReadOptions& options) {
  Impl::InputFile file(path);
  const Impl::NpyHeader header = Impl::read_npy_header(file);
  Impl::check_npy_type<Scalar>(file, header);
  if (axis >= header.shape.size() || first >= header.shape[axis] ||
      count > header.shape[axis] - first) {
    std::string shape;
    for (const std::uint64_t extent : header.shape)
      shape += Impl::text("{}{}", shape.empty() ? "" : " x ", extent);
    throw InputError(
        Impl::text("{}: there is no index {} along axis {} (both counted from 0) in an array of {}",
                   file.name(), first + std::max<std::size_t>(count, 1) - 1, axis,
                   shape.empty() ? "a single value" : shape));
  }
  // The array has outer x extent x inner values.
  const std::uint64_t extent = header.shape[axis];
  std::uint64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < axis; ++d) outer *= header.shape[d];
  for (std::size_t d = axis + 1; d < header.shape.size(); ++d) inner *= header.shape[d];

  HostArray<Scalar> part;
  part.shape.assign(header.shape.begin(), header.shape.end());
  part.shape[axis] = count;
  if (header.count == 0) return part;
  const std::uint64_t piece = count * inner, distance = extent * inner, begin = first * inner;
  const auto take = [&](const std::vector<Scalar>& from, std::uint64_t pieces) {
    for (std::uint64_t i = 0; i < pieces; ++i) {
      const auto at = from.begin() + static_cast<std::ptrdiff_t>(i * distance + begin);
      part.data.insert(part.data.end(), at, at + static_cast<std::ptrdiff_t>(piece));
    }
  };
  if (header.fortran_order && header.shape.size() > 1) {
    const HostArray<Scalar> all = read_npy<Scalar>(path, options);
    part.data.reserve(static_cast<std::size_t>(outer * piece));
    take(all.data, outer);
    return part;
  }
  Impl::MemoryNeed()
      .add(outer * piece, sizeof(Scalar))
      .require_available("reading a part of " + file.name());
  part.data.reserve(static_cast<std::size_t>(outer * piece));
  // A seek for each of many close pieces takes longer than reading what lies between them.
  constexpr std::uint64_t close_bytes = std::uint64_t{1} << 14,
                          buffer_values = std::uint64_t{1} << 17;
  if (distance * header.item_bytes <= close_bytes) {
    const std::uint64_t together = buffer_values / distance, values_begin = file.position();
    std::vector<Scalar> values;
    for (std::uint64_t i = 0; i < outer; i += together) {
      const std::uint64_t pieces = std::min(together, outer - i);
      values.resize(static_cast<std::size_t>(pieces * distance));
      Impl::read_npy_part(file, header, {i * distance, pieces * distance}, values.data(), true);
      take(values, pieces);
    }
    for (std::size_t k = 0; k < part.data.size() && !options.allow_non_finite; ++k)
      if (!std::isfinite(part.data[k])) {
        const std::uint64_t index = k / piece * distance + begin + k % piece;
        file.fail_at(values_begin + index * header.item_bytes,
                     Impl::text("value {} (counted from 0) is not finite", index));
      }
    return part;
  }
  part.data.resize(static_cast<std::size_t>(outer * piece));
  std::uint64_t passed = 0;
  for (std::uint64_t i = 0; i < outer; ++i) {
    const std::uint64_t at = i * distance + begin;
    file.skip((at - passed) * header.item_bytes);
    Impl::read_npy_part(file, header, {at, piece}, part.data.data() + i * piece,
                        options.allow_non_finite);
    passed = at + piece;
  }
  return part;
}

template <class Scalar>
HostArray<Scalar> read_npy_slice(const std::filesystem::path& path, std::size_t axis,
                                 std::size_t index, const ReadOptions& options) {
  HostArray<Scalar> slice = read_npy_range<Scalar>(path, axis, index, 1, options);
  slice.shape.erase(slice.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return slice;
}

NpyInfo read_npy_info(const std::filesystem::path& path) {
  Impl::InputFile file(path);
  const Impl::NpyHeader header = Impl::read_npy_header(file);
  NpyInfo info;
  info.shape.assign(header.shape.begin(), header.shape.end());
  info.precision = Impl::npy_precision(header);
  info.type = Impl::npy_type_name(header);
  return info;
}

const OutputKind npy_output{
    "a NumPy array of floats", [](const std::filesystem::path& file) {
      const std::string head = Impl::first_bytes(file, 128);
      return head.starts_with("\x93NUMPY") &&
             (head.find("'<f4'") != std::string::npos || head.find("'<f8'") != std::string::npos);
    }};

template <class Scalar>
void write_npy(const std::filesystem::path& path, std::span<const Scalar> data,
               const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  for (std::size_t extent : shape) count *= extent;
  require_equal("length of the data", static_cast<long long>(data.size()),
                "the product of the shape", static_cast<long long>(count));
  AtomicFile file(path, npy_output);
  file.write(Impl::npy_header_text(Impl::npy_descr<Scalar>(), shape));
  file.write(data.data(), data.size_bytes());
  file.commit();
}

namespace {

SliceLayout layout_of_npy(const SliceExtents& shape, std::size_t value_bytes) {
  const std::string type =
      value_bytes == sizeof(float) ? Impl::npy_descr<float>() : Impl::npy_descr<double>();
  const std::uint64_t bytes = shape[1] * shape[2] * value_bytes;
  return {Impl::npy_header_text(type, {shape.begin(), shape.end()}), bytes, bytes};
}

}  // namespace

const SliceFormat npy_slices{npy_output, npy_output, layout_of_npy};

#define TOMOKKOS_INSTANTIATE(Scalar)                                                       \
  template HostArray<Scalar> read_npy(const std::filesystem::path&, const ReadOptions&);   \
  template HostArray<Scalar> read_npy_range(const std::filesystem::path&, std::size_t,     \
                                            std::size_t, std::size_t, const ReadOptions&); \
  template HostArray<Scalar> read_npy_slice(const std::filesystem::path&, std::size_t,     \
                                            std::size_t, const ReadOptions&);              \
  template void write_npy(const std::filesystem::path&, std::span<const Scalar>,           \
                          const std::vector<std::size_t>&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
