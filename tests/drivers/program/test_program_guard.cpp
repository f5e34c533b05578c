// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program writes replaces nothing of the user's.
#include <Tomokkos_Hdf5Array.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_NpzArchive.hpp>

#include "Hdf5Testing.hpp"
#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// A command that writes `file` in the folder.
struct Output {
  std::string file;
  std::vector<std::string> command;
  bool is_possible = true;
};

std::vector<Output> outputs(const RunFolder& folder) {
  const std::string config = folder / "c.yaml";
  return {
      {"r.yaml", {"compare", config, "--record", folder / "r.yaml"}},
      {"b.json", {"bench", folder / "b.yaml", "--json", folder / "b.json"}, has_bench()},
      {"A.mtx", {"convert", config, folder / "A.mtx", "--quiet"}},
      {"pages/README.md", {"help", "--pages", folder / "pages"}},
      {"pages/run.md", {"help", "--pages", folder / "pages"}},
      {"out/report.yaml", {"run", config}},
      {"out/reconstruction.npy", {"run", config}},
      {"out/checkpoint.npz", {"run", config}, can_write_npz()},
  };
}

void write_configurations(const RunFolder& folder) {
  write_bytes(folder / "c.yaml", std::string(small_config) +
                                     "output: {directory: out, image: [npy], checkpoint: 2}\n");
  write_bytes(
      folder / "b.yaml",
      "bench:\n  matrices: [{name: a, uniform: {rows: 40, columns: 40, entries_per_row: 3}}]\n"
      "  operations: [spmv]\n  formats: [csr]\n  repetitions: 1\n");
}

TEST(ProgramGuard, every_command_replaces_its_own_output_and_no_other_file) {
  const RunFolder folder;
  write_configurations(folder);
  std::filesystem::create_directory(folder / "pages");
  std::filesystem::create_directory(folder / "out");
  for (const Output& output : outputs(folder)) {
    if (!output.is_possible) continue;
    SCOPED_TRACE(output.file);
    const std::string file = folder / output.file;
    std::filesystem::remove_all(folder / "out");
    std::filesystem::create_directory(folder / "out");
    std::filesystem::remove(file);
    write_bytes(file, "mine: 1\n");
    expect_failure(output.command, {": exists and is not "});
    EXPECT_EQ(read_bytes(file), "mine: 1\n");
    std::filesystem::remove(file);
    for (int i = 0; i < 2; ++i) {
      run_well(output.command);
    }
    EXPECT_NE(read_bytes(file), "mine: 1\n");
  }
}

TEST(ProgramGuard, no_command_replaces_its_configuration) {
  const RunFolder folder;
  write_configurations(folder);
  for (const Output& output : outputs(folder)) {
    if (!output.is_possible || output.command[0] == "help" || output.command[0] == "run") continue;
    auto command = output.command;
    const std::string input = command[1], before = read_bytes(input);
    // Under another name, too.
    std::filesystem::create_hard_link(input, folder / output.file);
    expect_failure(command, {});
    EXPECT_EQ(read_bytes(input), before);
    std::filesystem::remove(folder / output.file);
  }
  expect_failure({"run", folder / "c.yaml", "--output", folder.path().string(), "--set",
                  "output.report=c.yaml"},
                 {"would overwrite"});
}

TEST(ProgramGuard, meshes_are_replaced_by_meshes) {
  const RunFolder folder;
  write_bytes(folder / "m.yaml",
              "problem: {type: parameterization, mesh: {generate: hills, vertices: 300}}\n"
              "solver: {type: pcg, iterations: 500}\noutput: {directory: out, picture_size: 0}\n");
  const std::vector<std::string> command{"run", folder / "m.yaml"};
  const auto first = run_program(command);
  if (first.error.find("without") != std::string::npos) GTEST_SKIP() << "built without meshes";
  EXPECT_EQ(first.status, 0) << first.error;
  run_well(command);
  std::filesystem::remove(folder / "out/report.yaml");
  write_bytes(folder / "out/chart.obj", "# notes\nmine\n");
  expect_failure(command, {"exists and is not an OBJ mesh"});
  EXPECT_EQ(read_bytes(folder / "out/chart.obj"), "# notes\nmine\n");
}

TEST(ProgramGuard, a_damaged_result_that_the_report_names_is_replaced) {
  const RunFolder folder;
  write_configurations(folder);
  const std::vector<std::string> command{"run", folder / "c.yaml"};
  run_well(command);
  write_bytes(folder / "out/reconstruction.npy", "damaged");
  run_well(command);
  EXPECT_EQ(read_npy<float>(folder / "out/reconstruction.npy").shape.size(), 2U);
}

TEST(ProgramGuard, standard_output_and_pipes_take_tables) {
  const RunFolder folder;
  write_configurations(folder);
  const ProgramResult record = run_well({"compare", folder / "c.yaml", "--record", "/dev/stdout"});
  EXPECT_EQ(record.out.rfind("record: 2\n", 0), 0U) << record.out;
}

/// Volume of three slices and a folder for its results.
void write_volume(const RunFolder& folder) {
  const std::vector<float> data(3 * 6 * 12, 1.0F);
  write_npy<float>(folder / "stack.npy", data, {3, 6, 12});
  write_bytes(
      folder / "v.yaml",
      "problem: {type: tomography, volume: {size: [8, 8]}, sinogram: stack.npy, slices: all, "
      "slab: 1,\n  geometry: {type: parallel_beam}}\n"
      "solver: {type: sirt, iterations: 20}\noutput: {directory: out, image: [npy]}\n");
  std::filesystem::create_directory(folder / "out");
}

TEST(ProgramGuard, the_partial_file_of_a_volume_is_no_way_into_other_files) {
  const RunFolder folder;
  write_volume(folder);
  const std::string stack = read_bytes(folder / "stack.npy");
  const std::string partial = folder / "out/reconstruction.npy.partial";
  write_bytes(folder / "precious", "precious");
  const auto refuse = [&](const std::string& why) {
    expect_failure({"run", folder / "v.yaml"}, {why});
    EXPECT_EQ(read_bytes(folder / "stack.npy"), stack);
    EXPECT_EQ(read_bytes(folder / "precious"), "precious");
    std::filesystem::remove(partial);
  };
  std::filesystem::create_hard_link(folder / "stack.npy", partial);
  refuse("which it reads");
  std::filesystem::create_symlink("../stack.npy", partial);
  refuse("which it reads");
  std::filesystem::create_symlink("../precious", partial);
  refuse("exists and is not a NumPy array");
  run_well({"run", folder / "v.yaml"});
}

TEST(ProgramGuard, a_volume_asks_before_it_replaces_the_checkpoint_of_another_run) {
  if (!can_write_npz()) GTEST_SKIP() << "checkpoints need libzip";
  const RunFolder folder;
  write_volume(folder);
  write_configurations(folder);
  run_well({"run", folder / "c.yaml"});
  expect_failure({"run", folder / "v.yaml"}, {"give --overwrite"});
  EXPECT_TRUE(folder.has("out/checkpoint.npz"));
  run_well({"run", folder / "v.yaml", "--overwrite"});
  EXPECT_FALSE(folder.has("out/checkpoint.npz"));
  const std::vector<double> weights{1, 2};
  write_npz(folder / "out/checkpoint.npz", {{"weights", {2}, std::span<const double>(weights)}});
  const std::string foreign = read_bytes(folder / "out/checkpoint.npz");
  expect_failure({"run", folder / "v.yaml", "--overwrite"}, {});
  EXPECT_EQ(read_bytes(folder / "out/checkpoint.npz"), foreign);
}

#if defined(TOMOKKOS_TEST_HDF5)

TEST(ProgramGuard, files_behind_the_links_of_a_scan_stay) {
  if (!can_write_hdf5()) GTEST_SKIP() << "needs HDF5";
  const std::vector<double> data(6 * 12, 0.5);
  for (const std::string kind : {"link", "virtual", "chain"}) {
    SCOPED_TRACE(kind);
    const RunFolder folder;
    std::filesystem::create_directory(folder / "out");
    // The name and the contents of a result, so that only the link tells that it is an input.
    const std::string source = folder / "out/sinogram.h5";
    write_hdf5<double>(source, data, {6, 12});
    const hid_t master =
        H5Fcreate((folder / "m.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (kind == "virtual") {
      const hsize_t extents[2] = {6, 12};
      const hid_t space = H5Screate_simple(2, extents, nullptr);
      const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_virtual(list, space, source.c_str(), "image", space);
      H5Dclose(H5Dcreate2(master, "data", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT));
      H5Pclose(list);
      H5Sclose(space);
    } else {
      // A chain leads through the file with the name of a result to data elsewhere.
      if (kind == "chain") {
        std::filesystem::rename(source, folder / "data.h5");
        const hid_t middle = H5Fcreate(source.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external((folder / "data.h5").c_str(), "/image", middle, "image", H5P_DEFAULT,
                           H5P_DEFAULT);
        H5Fclose(middle);
      }
      H5Lcreate_external(source.c_str(), "/image", master, "data", H5P_DEFAULT, H5P_DEFAULT);
    }
    H5Fclose(master);
    write_bytes(folder / "c.yaml",
                "problem: {type: tomography, volume: {size: [8, 8]},\n"
                "  geometry: {type: parallel_beam, views: 6},\n"
                "  sinogram: {file: m.h5, dataset: /data, flat: none}}\n"
                "solver: {type: sirt, iterations: 2}\noutput: {directory: out, image: [hdf5]}\n");
    const std::string before = read_bytes(source);
    expect_failure({"run", folder / "c.yaml"}, {"through a link in its data"});
    EXPECT_EQ(read_bytes(source), before);
    EXPECT_FALSE(folder.has("out/reconstruction.h5"));
    run_well(folder, "other");
  }
}

#endif

}  // namespace
