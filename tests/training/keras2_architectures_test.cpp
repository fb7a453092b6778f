// Models as Keras 2 writes them, and what they predict there (tools/keras2_architectures.py).
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/file.h"
#include "antler/training/saving.h"
#include "support/formula_array.h"
#include "support/paths.h"

namespace antler {
namespace {

Json cases() {
  return Json::parse(read_file((test::data_dir() / "keras2_architectures.json").string()))["cases"];
}

Nest inputs_of(const Json& c) {
  std::vector<Nest> inputs;
  for (const Json& shape : c["inputs"]) {
    inputs.emplace_back(test::formula_array(static_cast<int64_t>(inputs.size()),
                                            Shape(shape.get<std::vector<int64_t>>())));
  }
  return inputs.size() == 1 ? inputs[0] : Nest(inputs);
}

void expect_predicts(Model model, const Json& c, const std::string& what) {
  const std::vector<double> found =
      model(inputs_of(c), {.training = false}).flatten()[0].to_doubles();
  ASSERT_EQ(found.size(), c["output"].size()) << what;
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], c["output"][i].get<double>(), 2e-6) << what << " " << i;
  }
}

/// The architecture, the weights of the formula in Keras's order, and the way through the older
/// HDF5 format and a checkpoint, which have Keras 2's graph and names.
TEST(Keras2Architectures, PredictAsKeras2) {
  const std::string path = (std::filesystem::temp_directory_path() / "antler_keras2").string();
  for (const Json& c : cases()) {
    Model model = model_from_json(c["config"].dump());
    int64_t k = 20;
    Variables weights;
    for (const Variable& v : model.weights()) {
      if (v.path().find("seed_generator") == std::string::npos) weights.push_back(v);
    }
    for (const Variable& v : weights) v.store(test::formula_array(k++, v.shape()));
    const std::string name = c["config"]["config"]["name"];
    expect_predicts(model, c, name);
    model.save(path + ".h5");
    expect_predicts(load_model(path + ".h5"), c, name + " by .h5");
    model.save_weights(path + ".ckpt");
    Model fresh = model_from_json(c["config"].dump());
    fresh.load_weights(path + ".ckpt");
    expect_predicts(fresh, c, name + " by .ckpt");
  }
  for (const char* ending : {".h5", ".ckpt.index", ".ckpt.data-00000-of-00001"}) {
    std::filesystem::remove(path + ending);
  }
}

}  // namespace
}  // namespace antler
