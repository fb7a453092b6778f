#include "antler/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "antler/base/error.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

class FileTest : public ::testing::Test {
 protected:
  FileTest()
      : folder_(fs::temp_directory_path() /
                (std::string("antler_file_") +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~FileTest() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  int64_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(FileTest, WritesAndReadsAnyBytes) {
  std::string bytes;
  for (int i = 0; i < 200000; ++i) bytes += static_cast<char>(i * 7);
  write_file_atomically(path("a"), bytes);
  EXPECT_EQ(read_file(path("a")), bytes);
  write_file_atomically(path("a"), "");
  EXPECT_EQ(read_file(path("a")), "");
  EXPECT_EQ(files(), 1);
}

TEST_F(FileTest, ReadsWhatHasNoSize) { EXPECT_FALSE(read_file("/proc/self/status").empty()); }

TEST_F(FileTest, SaysWhatIsMissing) {
  EXPECT_THROW(read_file(path("absent")), NotFoundError);
  EXPECT_THROW(read_file(folder_.string()), IOError);
  EXPECT_THROW(write_file_atomically(path("no/folder"), "x"), NotFoundError);
  EXPECT_THROW(write_file_atomically(folder_.string(), "x"), IOError);
  EXPECT_THROW(write_file_atomically("/dev/null", "x"), IOError);
}

TEST_F(FileTest, NothingAppearsWithoutCommit) {
  write_file_atomically(path("a"), "old");
  {
    const AtomicFile file(path("a"));
    std::ofstream(file.temporary_path()) << "new";
    EXPECT_EQ(fs::path(file.temporary_path()).parent_path(), folder_);
    EXPECT_EQ(read_file(path("a")), "old");
  }
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_EQ(files(), 1);
}

/// The id of a process that has ended.
pid_t ended_process() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

TEST_F(FileTest, RemovesWhatKilledProcessesLeft) {
  const std::string ended = format(".tmp-{}-0-00000000", ended_process());
  const std::string running = format(".tmp-{}-0-00000000", getpid());
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  const auto make = [&](const std::string& name, bool is_old) {
    std::ofstream(path(name)) << "part";
    if (is_old) fs::last_write_time(path(name), long_ago);
  };
  make("model-1" + ended, true);
  make("model-2" + ended, false);  // its process may run on another machine
  make("model-3" + running, true);
  make("other" + ended, true);
  make("model-4.tmp-", true);
  make("model-5.tmp-x-0-0", true);
  make("model-6", true);
  remove_stale_temporaries(path(""),
                           [](std::string_view name) { return name.starts_with("model-"); });
  EXPECT_FALSE(fs::exists(path("model-1" + ended)));
  EXPECT_EQ(files(), 6);
  EXPECT_NO_THROW(remove_stale_temporaries(path("no such folder"), [](auto) { return true; }));
}

TEST_F(FileTest, TwoWritersDoNotMeet) {
  AtomicFile first(path("a"));
  AtomicFile second(path("a"));
  EXPECT_NE(first.temporary_path(), second.temporary_path());
  std::ofstream(first.temporary_path()) << "first";
  std::ofstream(second.temporary_path()) << "second";
  first.commit();
  EXPECT_EQ(read_file(path("a")), "first");
  second.commit();
  EXPECT_EQ(read_file(path("a")), "second");
  EXPECT_EQ(files(), 1);
}

TEST_F(FileTest, KeepsPermissionsAndLinks) {
  write_file_atomically(path("a"), "old");
  ASSERT_EQ(::chmod(path("a").c_str(), 0640), 0);
  fs::create_symlink("a", path("link"));
  write_file_atomically(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("a")), "new");
  EXPECT_EQ(fs::status(path("a")).permissions(), static_cast<fs::perms>(0640));
}

}  // namespace
}  // namespace antler
