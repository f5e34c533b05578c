// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_InputFile.hpp>
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
    AtomicFile file(folder / "a", any_output);
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
    AtomicFile file(folder / "a", any_output);
    file.write("new");
  }
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, replaces_a_link_and_leaves_the_file_behind_it) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old and longer");
  std::filesystem::create_symlink("a", folder / "link");
  AtomicFile file(folder / "link", any_output);
  file.write("new");
  file.commit();
  EXPECT_EQ(read_bytes(folder / "a"), "old and longer");
  EXPECT_EQ(read_bytes(folder / "link"), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(folder.count(), 2u);
}

TEST(AtomicFile, respects_the_umask) {
  const TemporaryFolder folder;
  const mode_t mask = umask(027);
  AtomicFile file(folder / "a", any_output);
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
    AtomicFile file(folder / "a", any_output);
    // While the file is being written, nobody may read it who could not read the old one.
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      EXPECT_EQ(entry.status().permissions() & ~permissions, std::filesystem::perms::none);
    file.commit();
    EXPECT_EQ(std::filesystem::status(folder / "a").permissions(), permissions);
    std::filesystem::remove(folder / "a");
  }
}

TEST(AtomicFile, a_link_to_nothing_is_replaced_and_linked_folders_are_followed) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "elsewhere");
  std::filesystem::create_symlink("elsewhere/b", folder / "link");
  std::filesystem::create_symlink("elsewhere", folder / "linked");
  for (const char* name : {"link", "linked/c"}) {
    AtomicFile file(folder / name, any_output);
    file.write("new");
    file.commit();
  }
  EXPECT_EQ(read_bytes(folder / "link"), "new");
  EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere/b"));
  EXPECT_EQ(read_bytes(folder / "elsewhere/c"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "linked"));
}

TEST(AtomicFile, pipes_and_open_files_are_written_directly) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(AtomicFile::is_stream(folder / "pipe"));
  EXPECT_FALSE(AtomicFile::is_stream(folder / "none"));
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  AtomicFile::probe(folder / "pipe", any_output);  // does not end the reader
  {
    AtomicFile file(folder / "pipe", any_output);
    file.write("through a pipe");
    expect_output_error([&] { file.write_at(0, "x", 1); }, {"not a pipe"});
    file.commit();
  }
  char text[32] = {};
  EXPECT_EQ(::read(reader, text, sizeof text - 1), 14);
  EXPECT_STREQ(text, "through a pipe");
  ::close(reader);
  EXPECT_EQ(folder.count(), 1u);

  // A redirected output goes on where it is.
  const int out = ::open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(out, "before ", 7), 7);
  {
    AtomicFile file("/dev/fd/" + std::to_string(out), any_output);
    file.write("after");
    file.commit();
  }
  ::close(out);
  EXPECT_EQ(read_bytes(folder / "out"), "before after");
}

TEST(AtomicFile, a_protected_file_that_was_read_is_never_replaced) {
  const TemporaryFolder folder;
  protect_inputs();
  write_bytes(folder / "data", "measured");
  std::filesystem::create_hard_link(folder / "data", folder / "hard");
  std::filesystem::create_symlink("data", folder / "soft");
  write_bytes(folder / "looked_at", "an old result");
  {
    const Impl::LookOnly looks;
    Impl::InputFile file(folder / "looked_at");
  }
  { Impl::InputFile file(folder / "data"); }
  for (const char* name : {"data", "hard", "soft"}) {
    EXPECT_NE(message_of<InputError>([&] {
                AtomicFile file(folder / name, any_output);
              }).find("is a file that is read"),
              std::string::npos);
    EXPECT_EQ(read_bytes(folder / name), "measured");
  }
  AtomicFile file(folder / "looked_at", any_output);
  file.commit();
  EXPECT_EQ(folder.count(), 4u);
}

TEST(AtomicFile, a_temporary_file_that_was_replaced_is_not_renamed) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "a", any_output);
    file.write("ours");
    const auto temporary = std::filesystem::directory_iterator(folder.path())->path();
    std::filesystem::remove(temporary);
    write_bytes(temporary, "foreign");
    expect_output_error([&] { file.commit(); }, {"another program has replaced"});
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, can_be_written_at_any_position) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a", any_output);
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
    AtomicFile done(folder / "done", any_output);
    done.commit();
    AtomicFile one(folder / "one", any_output);
    AtomicFile two(folder / "two", any_output);
    EXPECT_EQ(folder.count(), 4u);
    AtomicFile::remove_temporaries();
    EXPECT_EQ(folder.count(), 2u);
    EXPECT_TRUE(std::filesystem::exists(folder / "done"));
    EXPECT_TRUE(std::filesystem::exists(folder / ".tomokkos-other.tmp"));
  }
  // Discarded files are forgotten, however many there were.
  for (int i = 0; i < 20; ++i) AtomicFile{folder / "gone", any_output};
  AtomicFile last(folder / "last", any_output);
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
    AtomicFile file(folder / "a", any_output);
    file.write("new");
    [[maybe_unused]] const auto ready = write(ends[1], "x", 1);
    for (;;) pause();
  }
  char ready = 0;
  ASSERT_EQ(read(ends[0], &ready, 1), 1);
  {
    // Running writers, in this process and in another one, keep their files.
    AtomicFile own(folder / "b", any_output);
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
  expect_output_error([&] { AtomicFile file(folder / "a.npy", any_output); }, {"a.npy", "folder"});
  if (const char* disk = "/dev/loop0"; std::filesystem::exists(disk))
    expect_output_error([&] { AtomicFile file(disk, any_output); }, {disk, "regular"});
  expect_output_error([&] { AtomicFile file(folder / "no" / "where", any_output); },
                      {"where", "No such file or directory"});
  write_bytes(folder / "file", "");
  expect_output_error([&] { AtomicFile file(folder / "file" / "x", any_output); },
                      {"Not a directory"});
  const std::string long_name(300, 'n');
  expect_output_error(
      [&] {
        AtomicFile file(folder / long_name, any_output);
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
  expect_output_error([&] { AtomicFile file(folder / "a", any_output); }, {"Permission denied"});
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
