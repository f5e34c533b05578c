// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_Hdf5Array.hpp>
#include <Tomokkos_InputFile.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <Tomokkos_Png.hpp>
#include <Tomokkos_RawFile.hpp>
#include <Tomokkos_SliceFile.hpp>
#include <Tomokkos_Tiff.hpp>
#include <functional>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// A writer of files, and another kind of file that its reader rejects.
struct Writer {
  std::string name;  ///< of a file
  std::function<void(const std::filesystem::path&)> write;
  bool is_possible = true;
  std::string foreign = "# notes of the user, of any length";
};

template <const SliceFormat& format>
void write_slices(const std::filesystem::path& path) {
  const std::vector<float> values(2 * 3 * 4, 1.0F);
  SliceFile<float> file(path, format, {2, 3, 4});
  file.write(0, values);
  file.commit();
}

std::vector<Writer> writers() {
  static const std::vector<double> values{1, 2, 3, 4, 5, 6};
  static const std::vector<std::uint8_t> colours(2 * 3 * 3, 7);
  const auto A = make_matrix<double>(2, 3, {{0, 1, 1.0}, {1, 2, 2.0}});
  using Path = std::filesystem::path;
  const std::vector<NpzArray> arrays{{"a", {6}, std::span<const double>(values)}};
  return {
      {"a.npy", [](const Path& p) { write_npy<double>(p, values, {6}); }},
      {"v.npy", [](const Path& p) { write_vector<double>(p, values); }},
      {"v.mtx", [](const Path& p) { write_vector<double>(p, values); }},
      {"A.mtx", [A](const Path& p) { write_matrix(p, A); }},
      {"A.csr4", [A](const Path& p) { write_matrix(p, A); }},
      {"A.npz", [A](const Path& p) { write_matrix(p, A); }, can_write_npz()},
      {"row.mtx", [A](const Path& p) { write_block_row(p, A, 2); }},
      {"a.npz", [arrays](const Path& p) { write_npz(p, arrays); }, can_write_npz()},
      {"a.png",
       [](const Path& p) {
         write_png<double>(p, values, 2, 3, {0, 6});
       },
       can_write_png()},
      {"rgb.png", [](const Path& p) { write_png_rgb(p, colours, 2, 3); }, can_write_png()},
      {"a.tif", [](const Path& p) { write_tiff<double>(p, values, 1, 2, 3); }, can_use_tiff()},
      {"a.h5",
       [](const Path& p) {
         write_hdf5<double>(p, values, {2, 3});
       },
       can_write_hdf5()},
      {"a.raw", [](const Path& p) { write_raw<float>(p, std::vector<float>(5)); }, true, "odd"},
      {"s.npy", write_slices<npy_slices>},
      {"s.tif", write_slices<tiff_slices>},
      {"s.h5", write_slices<hdf5_slices>, can_write_hdf5()},
  };
}

void expect_refused(const Writer& writer, const std::filesystem::path& file,
                    const std::string& why) {
  const std::string before = read_bytes(file);
  const std::string message = message_of<InputError>([&] { writer.write(file); });
  EXPECT_NE(message.find(why), std::string::npos) << writer.name << ": " << message;
  EXPECT_NE(message.find(file.filename().string()), std::string::npos) << message;
  EXPECT_EQ(read_bytes(file), before) << writer.name;
}

TEST(OutputGuard, every_writer_replaces_its_own_kind_and_nothing_else) {
  const TemporaryFolder folder;
  for (const Writer& writer : writers()) {
    if (!writer.is_possible) continue;
    SCOPED_TRACE(writer.name);
    const auto file = folder / writer.name;
    writer.write(file);
    const std::string written = read_bytes(file);
    writer.write(file);
    EXPECT_EQ(read_bytes(file), written);
    write_bytes(file, "");
    writer.write(file);
    EXPECT_EQ(read_bytes(file), written) << "an empty file holds nothing";

    write_bytes(file, writer.foreign);
    expect_refused(writer, file, "exists and is not a");
    allow_replacing(file);
    writer.write(file);
    EXPECT_EQ(read_bytes(file), written) << "a report names it";
  }
}

TEST(OutputGuard, no_writer_follows_a_link) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "other");
  for (const Writer& writer : writers()) {
    if (!writer.is_possible) continue;
    SCOPED_TRACE(writer.name);
    const auto file = folder / writer.name, target = folder / ("other/" + writer.name);
    write_bytes(target, writer.foreign);
    std::filesystem::create_symlink(target, file);
    expect_refused(writer, file, "exists and is not a");
    // A link to a file of the same kind is replaced, and the file behind it stays.
    std::filesystem::remove(target);
    writer.write(target);
    const std::string written = read_bytes(target);
    EXPECT_TRUE(std::filesystem::is_symlink(file));
    const auto time = std::filesystem::last_write_time(target);
    writer.write(file);
    EXPECT_FALSE(std::filesystem::is_symlink(file));
    EXPECT_EQ(read_bytes(file), written);
    EXPECT_EQ(std::filesystem::last_write_time(target), time);
  }
}

TEST(OutputGuard, no_writer_of_a_program_replaces_a_file_that_was_read) {
  const TemporaryFolder folder;
  // A library may read a file, change it and write it again.
  write_npy<double>(folder / "x.npy", std::vector<double>{1, 2}, {2});
  write_npy<double>(folder / "x.npy", read_npy<double>(folder / "x.npy").data, {2});
  protect_inputs();
  for (const Writer& writer : writers()) {
    if (!writer.is_possible) continue;
    const auto file = folder / writer.name, hard = folder / ("hard_" + writer.name);
    writer.write(file);
    std::filesystem::create_hard_link(file, hard);
    { const Impl::InputFile read(file); }
    for (const auto& name : {file, hard}) expect_refused(writer, name, "is a file that is read");
  }
}

TEST(OutputGuard, the_partial_file_of_slices_is_a_new_one) {
  const TemporaryFolder folder;
  const auto file = folder / "s.npy", partial = folder / "s.npy.partial";
  const std::vector<float> others(2, 1.0F);
  write_npy<float>(folder / "precious.npy", others, {2});
  const std::string precious = read_bytes(folder / "precious.npy");
  for (const bool hard : {false, true}) {
    if (hard)
      std::filesystem::create_hard_link(folder / "precious.npy", partial);
    else
      std::filesystem::create_symlink("precious.npy", partial);
    write_slices<npy_slices>(file);
    EXPECT_EQ(read_bytes(folder / "precious.npy"), precious);
    EXPECT_FALSE(std::filesystem::is_symlink(file));
    EXPECT_FALSE(std::filesystem::exists(partial));
    std::filesystem::remove(file);
  }
  // Another program takes the name away.
  SliceFile<float> slices(file, npy_slices, {1, 1, 2});
  slices.write(0, others);
  std::filesystem::remove(partial);
  write_bytes(partial, "foreign");
  EXPECT_NE(message_of<OutputError>([&] { slices.commit(); }).find("moved or replaced"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(read_bytes(partial), "foreign");
}

TEST(OutputGuard, results_of_other_kinds_with_the_same_extension_are_no_results) {
  const TemporaryFolder folder;
  // Counts, as a detector writes them.
  write_bytes(folder / "counts.npy",
              std::string("\x93NUMPY\x01\x00\x46\x00", 10) +
                  "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }            \nab");
  const std::vector<double> values{1};
  EXPECT_THROW(write_npy<double>(folder / "counts.npy", values, {1}), InputError);
  if (can_write_npz()) {
    write_npz(folder / "weights.npz", {{"weights", {1}, std::span<const double>(values)}});
    const auto A = make_matrix<double>(1, 1, {{0, 0, 1.0}});
    EXPECT_THROW(write_matrix(folder / "weights.npz", A), InputError);
  }
}

}  // namespace
