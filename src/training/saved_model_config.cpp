#include "training/saved_model_config.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "io/wire_reader.h"

namespace antler::training {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKerasMetadata = "keras_metadata.pb";

/// The JSON metadata of the node "root" in a SavedMetadata message.
std::string root_metadata(const std::string& message) {
  for (io::WireReader reader(message, kKerasMetadata); reader.next();) {
    if (reader.field() != 1) continue;
    std::string path;
    std::string metadata;
    for (io::WireReader object = reader.message(); object.next();) {
      if (object.field() == 3) path = object.text();
      if (object.field() == 5) metadata = object.text();
    }
    if (path == "root") return metadata;
  }
  throw IOError("{} is damaged: it has no root.", kKerasMetadata);
}

}  // namespace

bool is_saved_model(const std::string& path) {
  return fs::exists(fs::path(path) / "saved_model.pb");
}

bool has_saved_model_config(const std::string& path) {
  return fs::exists(fs::path(path) / kKerasMetadata);
}

Json saved_model_config(const std::string& path) {
  const fs::path file = fs::path(path) / kKerasMetadata;
  const Json metadata =
      Json::parse(root_metadata(read_file(file.string())), nullptr, /*allow_exceptions=*/false);
  if (!metadata.is_object() || !metadata.contains("config")) {
    throw IOError("'{}' is damaged: the root has no configuration.", file.string());
  }
  Json object = {{"class_name", metadata.value("class_name", "Functional")},
                 {"config", metadata["config"]},
                 {"keras_version", "2"}};
  if (const auto it = metadata.find("training_config"); it != metadata.end() && it->is_object()) {
    object["training_config"] = *it;
  }
  return object;
}

}  // namespace antler::training
