// main() of every test program. Each process has its own temporary folder, so that tests with fixed
// file names do not collide with another run.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  testing::InitGoogleTest(&argc, argv);
  std::string folder = (fs::temp_directory_path() / "antler_tests_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    std::cerr << "cannot make a temporary folder like " << folder << "\n";
    return 1;
  }
  setenv("TMPDIR", folder.c_str(), 1);               // std::filesystem::temp_directory_path()
  setenv("TEST_TMPDIR", (folder + "/").c_str(), 1);  // testing::TempDir()
  const int result = RUN_ALL_TESTS();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return result;
}
