// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Png.hpp>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// As if the disk were full: files cannot grow beyond some bytes.
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

TEST(AtomicFile, AppearsWhole) {
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

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  {
    AtomicFile file(folder / "a");
    file.write("new");
  }
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, ReplacesWhatWasThere) {
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

TEST(AtomicFile, HasTheUsualPermissions) {
  const TemporaryFolder folder;
  const mode_t mask = umask(027);
  AtomicFile file(folder / "a");
  file.commit();
  umask(mask);
  EXPECT_EQ(std::filesystem::status(folder / "a").permissions(),
            static_cast<std::filesystem::perms>(0640));
}

TEST(AtomicFile, HandsOnThePermissionsOfWhatItReplaces) {
  const TemporaryFolder folder;
  for (const bool by_name : {false, true}) {
    write_bytes(folder / "a", "secret");
    std::filesystem::permissions(folder / "a", static_cast<std::filesystem::perms>(0600));
    AtomicFile file(folder / "a");
    if (by_name) {
      const auto place = file.hand_over();
      std::filesystem::remove(place);
      write_bytes(place, "new");
    }
    file.commit();
    EXPECT_EQ(std::filesystem::status(folder / "a").permissions(),
              static_cast<std::filesystem::perms>(0600));
  }
}

TEST(AtomicFile, FollowsLinksToWhereNoFileIsYet) {
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

TEST(AtomicFile, WorksForLibrariesThatReplaceTheFile) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a");
  const auto place = file.hand_over();
  std::filesystem::remove(place);
  write_bytes(place, "from elsewhere");
  EXPECT_THROW(file.write("more"), OutputError);
  file.commit();
  EXPECT_EQ(read_bytes(folder / "a"), "from elsewhere");
  EXPECT_THROW(file.commit(), OutputError);
}

TEST(AtomicFile, SignalHandlersCanRemoveWhatIsUnfinished) {
  const TemporaryFolder folder;
  write_bytes(folder / ".tomokkos-other.tmp", "not ours");
  {
    AtomicFile done(folder / "done");
    done.commit();
    AtomicFile one(folder / "one");
    AtomicFile two(folder / "two");
    // What libzip leaves beside it, and what it does not.
    const std::string place = two.hand_over().string();
    write_bytes(place + ".aB3xyz", "half an archive");
    write_bytes(place + ".longer-name", "not ours");
    EXPECT_EQ(folder.count(), 6u);
    AtomicFile::remove_temporaries();
    EXPECT_EQ(folder.count(), 3u);
    EXPECT_TRUE(std::filesystem::exists(folder / "done"));
    EXPECT_TRUE(std::filesystem::exists(folder / ".tomokkos-other.tmp"));
    EXPECT_TRUE(std::filesystem::exists(place + ".longer-name"));
  }
  // Those that are gone are forgotten, however many there were.
  for (int i = 0; i < 20; ++i) AtomicFile{folder / "gone"};
  AtomicFile last(folder / "last");
  EXPECT_EQ(folder.count(), 4u);
  AtomicFile::remove_temporaries();
  EXPECT_EQ(folder.count(), 3u);
}

TEST(AtomicFile, FoldersAndDevicesInTheWayAreRefused) {
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
}

TEST(AtomicFile, MissingPermissionIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "skipped: the superuser may write everywhere";
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0500));
  expect_output_error([&] { AtomicFile file(folder / "a"); }, {"Permission denied"});
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0700));
}

TEST(AtomicFile, FullDisksAreReportedByEveryWriter) {
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
  EXPECT_EQ(folder.count(), 0u) << "something is left";
}

}  // namespace
