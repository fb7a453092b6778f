// The behaviour of keras.utils.get_file (3.15), with file:// URLs.
#include "antler/data/utils/get_file.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/io/zip.h"
#include "data/http.h"
#include "support/tar_archive.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

class GetFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!data::can_download()) GTEST_SKIP() << "built without libcurl";
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "cache");
    logging::set_sink([this](std::string_view text) { printed_ += text; });
    logging::set_warning_sink([this](std::string_view text) { warned_ += text; });
  }
  void TearDown() override {
    logging::set_sink({});
    logging::set_warning_sink({});
    fs::remove_all(folder_);
  }
  /// The URL of a file.
  std::string origin(const std::string& name, const std::string& bytes) {
    write_file_atomically((folder_ / name).string(), bytes);
    return "file://" + (folder_ / name).string();
  }
  utils::GetFileOptions of(const std::string& url) const {
    return {.origin = url, .cache_dir = (folder_ / "cache").string()};
  }
  std::string cached(const std::string& name) const {
    return (folder_ / "cache" / "datasets" / name).string();
  }

  // Tests run in parallel.
  fs::path folder_ =
      fs::temp_directory_path() / (std::string("antler_get_file_") +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
  std::string printed_;
  std::string warned_;
};

TEST_F(GetFile, KeepsWhatItHas) {
  const std::string url = origin("words.txt", "one two");
  EXPECT_EQ(utils::get_file(of(url)), cached("words.txt"));
  EXPECT_EQ(read_file(cached("words.txt")), "one two");
  EXPECT_EQ(printed_.find("Downloading data from " + url + "\n"), 0U);
  EXPECT_NE(printed_.find("7/7 [=====", 0), std::string::npos) << printed_;
  printed_.clear();
  fs::remove(folder_ / "words.txt");
  EXPECT_EQ(utils::get_file(of(url)), cached("words.txt"));  // the origin is gone
  EXPECT_EQ(printed_, "");
  auto again = of(url);
  again.force_download = true;
  EXPECT_THROW(utils::get_file(again), IOError);
  EXPECT_EQ(read_file(cached("words.txt")), "one two");  // not touched
}

TEST_F(GetFile, ComparesHashes) {
  auto options = of(origin("a.txt", "abc"));
  options.fname = "b.txt";
  options.cache_subdir = "other";
  options.file_hash = "900150983cd24fb0d6963f7d28e17f72";  // MD5 of "abc"
  const std::string path = (folder_ / "cache/other/b.txt").string();
  EXPECT_EQ(utils::get_file(options), path);
  write_file_atomically(path, "spoilt");
  EXPECT_EQ(utils::get_file(options), path);
  EXPECT_EQ(read_file(path), "abc");
  EXPECT_NE(printed_.find("A local file was found, but it seems to be incomplete"),
            std::string::npos);
  options.file_hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(utils::get_file(options), path);  // SHA-256, by its length
  options.file_hash[0] = 'c';
  EXPECT_THROW(utils::get_file(options), ValueError);
}

TEST_F(GetFile, UnpacksArchives) {
  const std::string tar =
      test::tar_archive({test::tar_entry("in/x.txt", "x"), test::tar_entry("../out.txt", "no")});
  auto options = of(origin("a.tar", tar));
  options.extract = true;
  EXPECT_EQ(utils::get_file(options), cached("a.tar"));
  EXPECT_EQ(read_file(cached("a.tar/in/x.txt")), "x");
  EXPECT_FALSE(fs::exists(cached("out.txt")));
  EXPECT_NE(warned_.find("Skipping invalid path"), std::string::npos);
  EXPECT_TRUE(fs::exists(cached("a.tar_archive")));
  const std::string zip = (folder_ / "b.zip").string();
  io::save_zip(zip, {{"y.txt", "y"}, {"in/z.txt", "z"}});
  options = of("file://" + zip);
  options.fname = "b.zip";
  options.extract = true;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(utils::get_file(options), cached("b_extracted"));
    EXPECT_EQ(read_file(cached("b_extracted/in/z.txt")), "z");
  }
  options = of(origin("c.bin", "no archive"));
  options.untar = true;
  warned_.clear();
  utils::get_file(options);
  EXPECT_NE(warned_.find("Could not extract archive"), std::string::npos);
}

TEST_F(GetFile, Errors) {
  EXPECT_THROW(utils::get_file({}), ValueError);
  EXPECT_THROW(utils::get_file({.fname = "a/b", .origin = "file:///x"}), ValueError);
  EXPECT_THROW(utils::get_file(of("http://localhost/")), ValueError);
  EXPECT_THROW(utils::get_file(of("file:///no/such/file.txt")), IOError);
  EXPECT_FALSE(fs::exists(cached("file.txt")));
}

}  // namespace
}  // namespace antler
