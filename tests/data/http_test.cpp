#include "data/http.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/file.h"

namespace antler::data {
namespace {

TEST(HttpTest, GivesTheBytesOrSaysWhyNot) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "antler_download_test").string();
  write_file_atomically(path, "some bytes");
  if (can_download()) {
    EXPECT_EQ(download("file://" + path), "some bytes");
  } else {
    EXPECT_THROW(download("file://" + path), IOError);
  }
  std::filesystem::remove(path);
  try {
    download("file://" + path);
    FAIL();
  } catch (const IOError& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
  }
}

}  // namespace
}  // namespace antler::data
