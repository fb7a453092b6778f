#include "input/data_plan.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"

namespace antler::cli {
namespace {

std::string path_beside(const std::string& model_path) { return model_path + ".data.json"; }

}  // namespace

std::string ImagePlan::color_mode() const {
  return channels == 1 ? "grayscale" : channels == 4 ? "rgba" : "rgb";
}

TextVectorization TextPlan::vectorizer() const {
  return TextVectorization({.output_sequence_length = sequence_length, .vocabulary = vocabulary});
}

std::vector<std::string> DataPlan::classes() const {
  if (table) return table->classes;
  if (image) return image->classes;
  if (text) return text->classes;
  if (records) return records->classes;
  return {};
}

Json DataPlan::to_json() const {
  if (table) return table->to_json();
  if (image) {
    return {{"kind", "images"},
            {"height", image->height},
            {"width", image->width},
            {"channels", image->channels},
            {"classes", image->classes}};
  }
  if (records) {
    return {{"kind", "records"},
            {"features", records->features},
            {"widths", records->widths},
            {"target", records->target},
            {"classes", records->classes}};
  }
  if (!text) return nullptr;
  return {{"kind", "texts"},
          {"sequence_length", text->sequence_length},
          {"classes", text->classes},
          {"vocabulary", text->vocabulary}};
}

DataPlan DataPlan::from_json(const Json& json) {
  DataPlan plan;
  const std::string kind = json.at("kind").get<std::string>();
  const auto classes = json.at("classes").get<std::vector<std::string>>();
  if (kind == "table") {
    plan.table = TablePlan::from_json(json);
  } else if (kind == "images") {
    plan.image = ImagePlan{json.at("height").get<int64_t>(), json.at("width").get<int64_t>(),
                           json.at("channels").get<int64_t>(), classes};
  } else if (kind == "texts") {
    plan.text = TextPlan{json.at("vocabulary").get<std::vector<std::string>>(),
                         json.at("sequence_length").get<int64_t>(), classes};
  } else if (kind == "records") {
    plan.records = RecordPlan{json.at("features").get<std::vector<std::string>>(),
                              json.value("widths", std::vector<int64_t>()),
                              json.at("target").get<std::string>(), classes};
  } else {
    throw ValueError("unknown kind '{}'", kind);
  }
  return plan;
}

void DataPlan::save_beside(const std::string& model_path) const {
  if (given()) write_file_atomically(path_beside(model_path), to_json().dump(1) + "\n");
}

DataPlan DataPlan::load_beside(const std::string& model_path) {
  const std::string path = path_beside(model_path);
  if (!std::filesystem::exists(path)) return {};
  const auto refuse = [&](const std::exception& error) {
    throw IOError("'{}' is damaged: {}", path, error.what());
  };
  try {
    return from_json(Json::parse(read_file(path)));
  } catch (const Json::exception& error) {
    refuse(error);
  } catch (const ValueError& error) {
    refuse(error);
  }
  return {};
}

}  // namespace antler::cli
