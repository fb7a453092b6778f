#include "input/model_data.h"

#include <nlohmann/json.hpp>

namespace antler::cli {

DataOptions data_options_for(const Model& model, const std::string& model_path,
                             const std::string& loss) {
  std::string text = loss;
  if (text.empty() && model.compiled()) {
    text = model.get_compile_config().value("loss", Json()).dump();
  }
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  const bool one_hot = (has("categorical_crossentropy") || has("CategoricalCrossentropy")) &&
                       !has("sparse") && !has("Sparse");
  return {.plan = model_path.empty() ? DataPlan() : DataPlan::load_beside(model_path),
          .label_mode = one_hot ? "categorical" : "int",
          .input_names = model.input_names(),
          .output_names = model.output_names(),
          .image = image_plan_of(model)};
}

}  // namespace antler::cli
