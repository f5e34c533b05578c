// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Png.hpp>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Simulates a full disk: files cannot grow beyond the given number of bytes.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    handler_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

template <class Action>
void expect_output_error(const Action& action, const std::vector<std::string>& pieces) {
  const std::string message = message_of<OutputError>(action);
  for (const std::string& piece : pieces) {
    EXPECT_NE(message.find(piece), std::string::npos) << "'" << piece << "' in: " << message;
  }
}

TEST(AtomicFile, appears_whole) {
  const TemporaryFolder folder;
  const std::string large(3 << 20, 'x');
  {
    AtomicFile file(folder / "a");
    file.write("begin ");
    file.write(large);
    EXPECT_FALSE(std::filesystem::exists(folder / "a"));
    file.commit();
  }
  EXPECT_EQ(read_bytes(folder / "a"), "begin " + large);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, changes_nothing_without_commit) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  {
    AtomicFile file(folder / "a");
    file.write("new");
  }
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, replaces_the_file_behind_a_link) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old and longer");
  std::filesystem::create_symlink("a", folder / "link");
  AtomicFile file(folder / "link");
  file.write("new");
  file.commit();
  EXPECT_EQ(read_bytes(folder / "a"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(folder.count(), 2u);
}

TEST(AtomicFile, respects_the_umask) {
  const TemporaryFolder folder;
  const mode_t mask = umask(027);
  AtomicFile file(folder / "a");
  file.commit();
  umask(mask);
  EXPECT_EQ(std::filesystem::status(folder / "a").permissions(),
            static_cast<std::filesystem::perms>(0640));
}

TEST(AtomicFile, keeps_the_permissions_of_the_file_it_replaces) {
  const TemporaryFolder folder;
  for (const auto mode : {0600, 0666, 0444}) {
    const auto permissions = static_cast<std::filesystem::perms>(mode);
    write_bytes(folder / "a", "secret");
    std::filesystem::permissions(folder / "a", permissions);
    AtomicFile file(folder / "a");
    // While the file is being written, nobody may read it who could not read the old one.
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      EXPECT_EQ(entry.status().permissions() & ~permissions, std::filesystem::perms::none);
    file.commit();
    EXPECT_EQ(std::filesystem::status(folder / "a").permissions(), permissions);
    std::filesystem::remove(folder / "a");
  }
}

TEST(AtomicFile, follows_links_to_files_that_do_not_exist_yet) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "elsewhere");
  std::filesystem::create_symlink("elsewhere/b", folder / "link");
  std::filesystem::create_symlink("link", folder / "link_to_link");
  {
    AtomicFile file(folder / "link_to_link");
    file.write("new");
    file.commit();
  }
  EXPECT_EQ(read_bytes(folder / "elsewhere/b"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link_to_link"));
  EXPECT_EQ(folder.count(), 4u);  // with the folder elsewhere
}

TEST(AtomicFile, can_be_written_at_any_position) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a");
  file.write_at(3, "def", 3);
  file.write_at(0, "abc", 3);
  file.write_at(5, "Fgh", 3);
  file.commit();
  EXPECT_EQ(read_bytes(folder / "a"), "abcdeFgh");
  EXPECT_THROW(file.commit(), OutputError);
}

TEST(AtomicFile, signal_handlers_can_remove_unfinished_files) {
  const TemporaryFolder folder;
  write_bytes(folder / ".tomokkos-other.tmp", "not ours");
  {
    AtomicFile done(folder / "done");
    done.commit();
    AtomicFile one(folder / "one");
    AtomicFile two(folder / "two");
    EXPECT_EQ(folder.count(), 4u);
    AtomicFile::remove_temporaries();
    EXPECT_EQ(folder.count(), 2u);
    EXPECT_TRUE(std::filesystem::exists(folder / "done"));
    EXPECT_TRUE(std::filesystem::exists(folder / ".tomokkos-other.tmp"));
  }
  // Discarded files are forgotten, however many there were.
  for (int i = 0; i < 20; ++i) AtomicFile{folder / "gone"};
  AtomicFile last(folder / "last");
  EXPECT_EQ(folder.count(), 3u);
  AtomicFile::remove_temporaries();
  EXPECT_EQ(folder.count(), 2u);
}

TEST(AtomicFile, files_abandoned_by_a_killed_program_are_removed) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    AtomicFile file(folder / "a");
    file.write("new");
    [[maybe_unused]] const auto ready = write(ends[1], "x", 1);
    for (;;) pause();
  }
  char ready = 0;
  ASSERT_EQ(read(ends[0], &ready, 1), 1);
  {
    // Running writers, in this process and in another one, keep their files.
    AtomicFile own(folder / "b");
    EXPECT_EQ(AtomicFile::remove_abandoned(folder.path()), 0);
    EXPECT_EQ(folder.count(), 3u);
    own.commit();
  }
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  EXPECT_EQ(folder.count(), 3u);
  write_bytes(folder / ".tomokkos-other.tmp", "not ours");
  EXPECT_EQ(AtomicFile::remove_abandoned(folder.path()), 1);
  EXPECT_EQ(folder.count(), 3u);
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  EXPECT_EQ(AtomicFile::remove_abandoned(folder / "nowhere"), 0);
  close(ends[0]);
  close(ends[1]);
}

TEST(AtomicFile, folders_and_devices_in_the_way_are_refused) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a.npy");
  expect_output_error([&] { AtomicFile file(folder / "a.npy"); }, {"a.npy", "folder"});
  expect_output_error([&] { AtomicFile file("/dev/null"); }, {"/dev/null", "regular"});
  expect_output_error([&] { AtomicFile file(folder / "no" / "where"); },
                      {"where", "No such file or directory"});
  write_bytes(folder / "file", "");
  expect_output_error([&] { AtomicFile file(folder / "file" / "x"); }, {"Not a directory"});
  const std::string long_name(300, 'n');
  expect_output_error(
      [&] {
        AtomicFile file(folder / long_name);
        file.commit();
      },
      {"File name too long"});
  EXPECT_EQ(folder.count(), 2u);
  // `check` finds errors before anything is written, even for folders that do not exist yet.
  AtomicFile::check(folder / "no" / "where" / "a");
  expect_output_error([&] { AtomicFile::check(folder / "a.npy"); }, {"a.npy", "folder"});
  for (const auto& path : {folder / long_name, folder / "no" / "where" / long_name})
    expect_output_error([&] { AtomicFile::check(path); }, {"nnn", "File name too long"});
}

TEST(AtomicFile, missing_permission_is_named) {
  if (geteuid() == 0) GTEST_SKIP() << "skipped: the superuser may write everywhere";
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0500));
  expect_output_error([&] { AtomicFile file(folder / "a"); }, {"Permission denied"});
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0700));
}

TEST(AtomicFile, full_disks_are_reported_by_every_writer) {
  const TemporaryFolder folder;
  std::vector<Entry<double>> entries;
  std::mt19937 random(3);
  for (Ordinal j = 0; j < 20000; ++j) entries.emplace_back(0, j, random() * 1e-3);
  const auto A = make_matrix<double>(1, 20000, entries);
  std::vector<double> noise(400 * 400);
  for (double& value : noise) value = static_cast<double>(random() % 1000) / 1000;
  const SizeLimit limit(4096);
  for (const char* name : {"a.mtx", "a.npz", "a.csr4"}) {
    SCOPED_TRACE(name);
    expect_output_error([&] { write_matrix(folder / name, A); }, {name, "File too large"});
  }
  for (const char* name : {"v.npy", "v.mtx"}) {
    SCOPED_TRACE(name);
    expect_output_error([&] { write_vector<double>(folder / name, noise); },
                        {name, "File too large"});
  }
  expect_output_error([&] { write_png<double>(folder / "a.png", noise, 400, 400, {}); },
                      {"a.png", "File too large"});
  EXPECT_EQ(folder.count(), 0u) << "files remain";
}

}  // namespace
