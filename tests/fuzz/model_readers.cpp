#include <filesystem>

#include <unistd.h>

#include "antler/base/file.h"
#include "antler/training/saving.h"
#include "fuzz/reader.h"

namespace antler::fuzz {
namespace {

namespace fs = std::filesystem;

/// A SavedModel of Keras 2 is a folder; its architecture is in one of the files.
void read_saved_model(std::string_view bytes) {
  static const fs::path folder = [] {
    const fs::path path = fs::temp_directory_path() / ("antler_fuzz_" + std::to_string(getpid()));
    fs::create_directories(path);
    write_file_atomically((path / "saved_model.pb").string(), "");
    std::atexit([] { fs::remove_all(folder); });
    return path;
  }();
  write_file_atomically((folder / "keras_metadata.pb").string(), bytes);
  (void)load_model_object(folder.string());
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {
      {"model_json", [](std::string_view bytes) { (void)model_from_json(std::string(bytes)); }},
      {"saved_model", read_saved_model},
  };
  return all;
}

}  // namespace antler::fuzz
