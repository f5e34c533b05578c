// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_Npy.hpp>
#include <cmath>
#include <limits>

#include "FileTesting.hpp"
#include "TestData.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Bytes of a file with the given header text.
std::string npy(const std::string& header, const std::string& values, int version = 1) {
  std::string bytes = std::string("\x93NUMPY", 6) + static_cast<char>(version) + '\0';
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return bytes + header + values;
}

std::string header(const std::string& descr, const std::string& shape,
                   const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

template <class Scalar = double>
HostArray<Scalar> parse(const std::string& bytes, const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.npy", bytes);
  return read_npy<Scalar>(folder / "a.npy", options);
}

template <class... Pieces>
void refuse(const std::string& bytes, const Pieces&... pieces) {
  SCOPED_TRACE(bytes);
  expect_input_error([&] { parse(bytes); }, "a.npy: byte ", pieces...);
}

template <class T>
std::string values_of(const std::vector<T>& values, bool big_endian = false) {
  std::string bytes;
  for (const T& value : values) {
    std::string one = bytes_of(value);
    if (big_endian) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

template <class Scalar>
class NpyRoundTrip : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NpyRoundTrip, Scalars);

TYPED_TEST(NpyRoundTrip, arrays_of_any_rank_come_back) {
  const TemporaryFolder folder;
  const std::vector<std::vector<std::size_t>> shapes{{},     {0},    {1},       {7},
                                                     {3, 4}, {0, 5}, {2, 3, 4}, {1, 1, 1, 2}};
  for (const auto& shape : shapes) {
    std::size_t count = 1;
    for (std::size_t extent : shape) count *= extent;
    std::vector<TypeParam> data(count);
    for (std::size_t k = 0; k < count; ++k) data[k] = TypeParam(1) / TypeParam(k + 3);
    write_npy<TypeParam>(folder / "a.npy", data, shape);
    const auto array = read_npy<TypeParam>(folder / "a.npy");
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.data, data);
    const NpyInfo info = read_npy_info(folder / "a.npy");
    EXPECT_EQ(info.shape, shape);
    EXPECT_EQ(info.precision,
              sizeof(TypeParam) == 4 ? FilePrecision::float32 : FilePrecision::float64);
  }
}

TYPED_TEST(NpyRoundTrip, every_type_in_a_file_is_converted) {
  const auto check = [](const std::string& descr, const std::string& values,
                        const std::vector<TypeParam>& expected) {
    SCOPED_TRACE(descr);
    EXPECT_EQ(parse<TypeParam>(npy(header(descr, "(2,)"), values)).data, expected);
  };
  check("|b1", std::string("\0\1", 2), {0, 1});
  check("|i1", values_of<std::int8_t>({-3, 100}), {-3, 100});
  check("|u1", values_of<std::uint8_t>({3, 200}), {3, 200});
  for (const bool big : {false, true}) {
    const std::string order = big ? ">" : "<";
    check(order + "i2", values_of<std::int16_t>({-300, 100}, big), {-300, 100});
    check(order + "u2", values_of<std::uint16_t>({3, 60000}, big), {3, 60000});
    check(order + "i4", values_of<std::int32_t>({-70000, 5}, big), {-70000, 5});
    check(order + "u4", values_of<std::uint32_t>({3, 1u << 31}, big), {3, 2147483648});
    check(order + "i8", values_of<std::int64_t>({-(1ll << 40), 5}, big), {-1099511627776, 5});
    check(order + "u8", values_of<std::uint64_t>({1ull << 63, 5}, big), {9223372036854775808u, 5});
    // Half precision includes its largest and its smallest positive number.
    check(order + "f2", values_of<std::uint16_t>({0x3c00, 0xc100}, big), {1, TypeParam(-2.5)});
    check(order + "f2", values_of<std::uint16_t>({0x7bff, 0x0001}, big),
          {65504, TypeParam(std::ldexp(1.0, -24))});
    check(order + "f4", values_of<float>({0.1f, -2}, big), {TypeParam(0.1f), -2});
    check(order + "f8", values_of<double>({0.1, -2}, big), {TypeParam(0.1), -2});
  }
}

TEST(Npy, writes_the_same_bytes_as_numpy) {
  const TemporaryFolder folder;
  const std::vector<double> x{1, 2};
  write_npy<double>(folder / "a.npy", x, {1, 2});
  const std::string bytes = read_bytes(folder / "a.npy");
  std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }";
  text.append(128 - 11 - text.size(), ' ');
  EXPECT_EQ(bytes, std::string("\x93NUMPY\1\0\x76\0", 10) + text + "\n" + values_of(x));
}

TEST(Npy, rewriting_a_file_of_another_program_reproduces_it) {
  const TemporaryFolder folder;
  const auto path = test_data_path("reference/astra/shepp_logan_64_sinogram.npy");
  const auto sinogram = read_npy<float>(path);
  EXPECT_EQ(sinogram.shape, (std::vector<std::size_t>{90, 95}));
  write_npy<float>(folder / "a.npy", sinogram.data, sinogram.shape);
  EXPECT_EQ(read_bytes(folder / "a.npy"), read_bytes(path));
}

TEST(Npy, files_of_the_test_data_are_read) {
  EXPECT_EQ(read_npy<double>(test_data_path("tomography/angle.npy")).shape.size(), 1u);
  const auto projections = read_npy<float>(test_data_path("tomography/proj.npy"));
  EXPECT_EQ(projections.shape.size(), 3u);
}

TEST(Npy, fortran_order_becomes_row_major) {
  // Entry (i, j) = 10 i + j, (i, j, k) = 100 i + 10 j + k.
  const auto matrix =
      parse(npy(header("<f8", "(2, 3)", "True"), values_of<double>({0, 10, 1, 11, 2, 12})));
  EXPECT_EQ(matrix.data, (std::vector<double>{0, 1, 2, 10, 11, 12}));
  std::vector<double> stored, expected;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) stored.push_back(100 * i + 10 * j + k);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) expected.push_back(100 * i + 10 * j + k);
    }
  }
  EXPECT_EQ(parse(npy(header("<f8", "(2, 3, 4)", "True"), values_of(stored))).data, expected);
  EXPECT_EQ(parse(npy(header("<f8", "(0, 3)", "True"), "")).data.size(), 0u);
}

TEST(Npy, slices_equal_those_of_the_whole_array) {
  const TemporaryFolder folder;
  const auto path = folder / "a.npy";
  std::vector<std::int16_t> values(2 * 3 * 4 * 5);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<std::int16_t>(7 * k);
  const std::vector<std::size_t> shape{2, 3, 4, 5};
  for (const std::string order : {"False", "True"})
    for (const bool big : {false, true}) {
      write_bytes(path,
                  npy(header(big ? ">i2" : "<i2", "(2, 3, 4, 5)", order), values_of(values, big)));
      const auto all = read_npy<float>(path);
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        for (std::size_t index = 0; index < shape[axis]; ++index) {
          std::vector<float> expected;
          std::size_t inner = 1;
          for (std::size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
          for (std::size_t k = 0; k < all.data.size(); ++k)
            if (k / inner % shape[axis] == index) expected.push_back(all.data[k]);
          auto left = shape;
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(axis));
          const auto slice = read_npy_slice<float>(path, axis, index);
          EXPECT_EQ(slice.shape, left);
          EXPECT_EQ(slice.data, expected) << "axis " << axis << ", index " << index;
          if (index + 1 == shape[axis]) continue;
          expected.clear();
          for (std::size_t k = 0; k < all.data.size(); ++k)
            if (k / inner % shape[axis] - index < 2) expected.push_back(all.data[k]);
          EXPECT_EQ(read_npy_range<float>(path, axis, index, 2).data, expected);
        }
    }
  write_bytes(path, npy(header("<f8", "(3,)"), values_of<double>({1, 2, 3})));
  EXPECT_EQ(read_npy_slice<double>(path, 0, 2).data, (std::vector<double>{3}));
  EXPECT_TRUE(read_npy_slice<double>(path, 0, 2).shape.empty());
  write_bytes(path, npy(header("<f8", "(0, 3, 2)"), ""));
  EXPECT_EQ(read_npy_slice<double>(path, 1, 2).shape, (std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(read_npy_slice<double>(path, 1, 2).data.empty());
}

TEST(Npy, distant_parts_of_a_file_are_read_alone) {
  const TemporaryFolder folder;
  // Neighbours along the first axis are further apart than what is read at once.
  const std::size_t rows = 3, columns = 20000;
  std::vector<double> values(2 * rows * columns);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  values[5] = nan;
  write_npy<double>(folder / "a.npy", values, {2, rows, columns});
  const auto part = read_npy_range<double>(folder / "a.npy", 1, 1, 2);
  EXPECT_EQ(part.shape, (std::vector<std::size_t>{2, 2, columns}));
  std::vector<double> expected;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (k / columns % rows > 0) expected.push_back(values[k]);
  EXPECT_EQ(part.data, expected);
  EXPECT_EQ(read_npy_info(folder / "a.npy").type, "float64");
}

TEST(Npy, missing_and_invalid_slices_are_refused) {
  const TemporaryFolder folder;
  const auto path = folder / "a.npy";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string head = header("<f8", "(2, 2)");
  write_bytes(path, npy(head, values_of<double>({1, 2, 3, nan})));
  const auto read = [&](std::size_t axis, std::size_t index) {
    return [=] { read_npy_slice<double>(path, axis, index); };
  };
  expect_input_error(read(0, 2), "a.npy: there is no index 2 along axis 0", "2 x 2");
  expect_input_error(read(2, 0), "a.npy: there is no index 0 along axis 2");
  EXPECT_EQ(read_npy_slice<double>(path, 1, 0).data, (std::vector<double>{1, 3}));
  expect_input_error(read(1, 1), "byte " + std::to_string(10 + head.size() + 24), "value 3",
                     "not finite");
  write_bytes(path, npy(header("<f8", "()"), values_of<double>({1})));
  expect_input_error(read(0, 0), "a single value");
  write_bytes(path, npy(header("<S8", "(1,)"), values_of<double>({1})));
  expect_input_error(read(0, 0), "should hold numbers");
}

TEST(Npy, reading_a_slice_needs_no_memory_for_the_others) {
  const TemporaryFolder folder;
  const std::uint64_t slices = available_host_memory() / 16;
  const std::string begin = npy(header("|u1", "(4, " + std::to_string(slices) + ", 8)"), "");
  write_sparse(folder / "a.npy", begin, begin.size() + 32 * slices);
  // Mark one value in the last slice of the last view.
  std::fstream file(folder / "a.npy", std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(-3, std::ios::end);
  file.put(9);
  file.close();
  expect_memory_error([&] { read_npy<double>(folder / "a.npy"); }, "a.npy", 256 * slices);
  const auto slice = read_npy_slice<double>(folder / "a.npy", 1, slices - 1);
  std::vector<double> expected(32, 0.0);
  expected[29] = 9;
  EXPECT_EQ(slice.data, expected);
}

TEST(Npy, headers_of_all_versions_and_spellings_are_read) {
  const std::string values = values_of<double>({7});
  for (int version : {1, 2, 3}) {
    EXPECT_EQ(parse(npy(header("<f8", "(1,)"), values, version)).data[0], 7);
  }
  EXPECT_EQ(
      parse(npy("{\"shape\":(1L,),\"descr\":\"<f8\",\"fortran_order\":False}", values)).data[0], 7);
  EXPECT_EQ(parse(npy(header("<f8", "()"), values)).shape.size(), 0u);
}

TEST(Npy, files_without_an_array_of_numbers_are_refused) {
  const std::string one = values_of<double>({1});
  refuse("PK\3\4 something else", "byte 0", "not a NumPy array");
  refuse(npy(header("<f8", "(1,)"), one, 4), "byte 6", "version 4.0");
  refuse(npy(header("|O", "(1,)"), one), "Python objects");
  refuse(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", one),
         "structured");
  refuse(npy(header("<c8", "(1,)"), one), "'<c8' is not supported");
  refuse(npy(header("<f16", "(1,)"), one + one), "'<f16' is not supported");
  refuse(npy(header("<i3", "(1,)"), one), "not supported");
  refuse(npy(header("<M8[ns]", "(1,)"), one), "not supported");
  refuse(npy(header("?f8", "(1,)"), one), "byte order");
  refuse(npy(header("", "(1,)"), one), "unknown type");
  refuse(npy(header("<S8", "(1,)"), one), "should hold numbers");
  refuse(npy(header("<f8", "(-1,)"), one), "not a length");
  refuse(npy(header("<f8", "(1.5,)"), one), "')'", "here");
  refuse(npy(header("<f8", "1"), one), "'('");
  refuse(npy(header("<f8", "(1,)", "maybe"), one), "neither True nor False");
  refuse(npy("{'descr': '<f8', 'shape': (1,), }", one), "lacks");
  refuse(npy("{'descr': '<f8', 'descr': '<f8', }", one), "unexpected key 'descr'");
  refuse(npy(header("<f8", "(1,)") + "x", one), "after its closing brace");
  refuse(npy("{'descr': '<f8", one), "does not end");
  refuse(npy("", one), "'{'");
}

TEST(Npy, wrong_shapes_are_refused_before_allocation) {
  const std::string one = values_of<double>({1});
  refuse(npy(header("<f8", "(2,)"), one), "need 16 bytes, but 8 follow");
  refuse(npy(header("<f8", "(1,)"), one + "x"), "need 8 bytes, but 9 follow");
  refuse(npy(header("<f8", "(1000000000000,)"), one), "but 8 follow");
  refuse(npy(header("<f8", "(4294967296, 4294967296)"), one), "more entries");
  refuse(npy(header("<f8", "(0, 4294967296, 4294967296)"), ""), "more entries");
  refuse(npy(header("<f8", "(99999999999999999999999,)"), one), "not a length");
  std::string longer = npy(header("<f8", "(1,)"), one);
  longer[8] = '\x7f';
  longer[9] = '\x7f';
  refuse(longer, "byte 8", "header should have");
  std::string ranks = "(";
  for (int i = 0; i < 100; ++i) ranks += "1, ";
  refuse(npy(header("<f8", ranks + ")"), one), "too many dimensions");
}

TEST(Npy, arrays_larger_than_memory_are_refused) {
  const TemporaryFolder folder;
  const std::uint64_t count = available_host_memory() / 2;
  const std::string shape = "(2, " + std::to_string(count / 2) + ")";
  // A value takes 1 byte in the file and 8 in memory. Fortran order needs a second copy in memory.
  for (const std::string order : {"False", "True"}) {
    const std::string begin = npy(header("|u1", shape, order), "");
    write_sparse(folder / "a.npy", begin, begin.size() + count / 2 * 2);
    expect_memory_error([&] { read_npy<double>(folder / "a.npy"); }, "a.npy",
                        (order == "True" ? 16 : 8) * (count / 2 * 2));
  }
}

TEST(Npy, text_is_refused_before_allocation) {
  // Values of zero bytes: the size of the file does not bound their number.
  for (const std::string type : {"|S0", "<U0"})
    refuse(npy(header(type, "(1000000000000000,)"), ""), "'" + type + "' is not supported");
  // Read as numbers, these values would not fit in memory.
  const TemporaryFolder folder;
  const std::uint64_t count = available_host_memory() / 2;
  const std::string begin = npy(header("|S1", "(" + std::to_string(count) + ",)"), "");
  write_sparse(folder / "a.npy", begin, begin.size() + count);
  expect_input_error([&] { read_npy<double>(folder / "a.npy"); }, "a.npy", "should hold numbers");
}

TEST(Npy, non_finite_values_are_refused_unless_allowed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string head = header("<f8", "(3,)");
  const std::string bytes = npy(head, values_of<double>({1, 2, nan}));
  refuse(bytes, "byte " + std::to_string(10 + head.size() + 16), "value 2", "not finite");
  ReadOptions options;
  options.allow_non_finite = true;
  EXPECT_TRUE(std::isnan(parse(bytes, options).data[2]));
  const std::string large = npy(header("<f8", "(1,)"), values_of<double>({1e300}));
  EXPECT_EQ(parse<double>(large).data[0], 1e300);
  expect_input_error([&] { parse<float>(large); }, "exceeds the range of single precision");
  const float infinity = std::numeric_limits<float>::infinity();
  expect_input_error(
      [&] { parse<float>(npy(header("<f4", "(1,)"), values_of<float>({infinity}))); },
      "not finite");
}

TEST(Npy, every_truncation_is_refused) {
  const TemporaryFolder folder;
  const std::vector<float> data{1, 2, 3, 4, 5, 6};
  write_npy<float>(folder / "a.npy", data, {2, 3});
  const std::string bytes = read_bytes(folder / "a.npy");
  const auto read = [](const auto& path) { read_npy<double>(path); };
  expect_every_truncation_refused(folder / "b.npy", bytes, read);
  expect_no_crash_on_changed_bytes(folder / "b.npy", bytes, read);
}

TEST(Npy, data_must_match_the_shape) {
  const TemporaryFolder folder;
  const std::vector<float> data{1, 2, 3};
  EXPECT_THROW(write_npy<float>(folder / "a.npy", data, {2, 2}), DimensionMismatch);
  EXPECT_EQ(folder.count(), 0u);
}

TEST(Npy, missing_files_are_named) {
  expect_input_error([] { read_npy<float>("/nonexistent/x.npy"); }, "/nonexistent/x.npy",
                     "No such file");
}

}  // namespace
