// Models as Keras 2 writes them, and Keras 2's predictions (tools/keras2_architectures.py).
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/file.h"
#include "antler/io/hdf5.h"
#include "antler/nn/layers/core.h"
#include "antler/training/saving.h"
#include "antler/training/sequential.h"
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
    model.save(path + ".keras");
    expect_predicts(load_model(path + ".keras"), c, name + " by .keras");
    model.save_weights(path + ".ckpt");
    Model fresh = model_from_json(c["config"].dump());
    fresh.load_weights(path + ".ckpt");
    expect_predicts(fresh, c, name + " by .ckpt");
  }
  for (const char* ending : {".h5", ".keras", ".ckpt.index", ".ckpt.data-00000-of-00001"}) {
    std::filesystem::remove(path + ending);
  }
}

/// A model of one layer in the words of Keras `version`.
Json model_of_layer(const std::string& version, const std::string& class_name,
                    const Json& arguments) {
  const Json layer = {{"class_name", class_name}, {"config", arguments}};
  return {{"class_name", "Sequential"},
          {"config", {{"name", "m"}, {"layers", Json::array({layer})}}},
          {"keras_version", version}};
}

std::vector<double> values_at_1(const Json& object) {
  Model model = model_from_config(object);
  return model(Tensor::of<float>({1.0F, 4.0F}, {2})).to_doubles();
}

/// Keras 2: clip(0.2 x + 0.5, 0, 1), Keras 3: relu6(x + 3) / 6.
TEST(Keras2HardSigmoid, GoesByTheVersion) {
  const Json name = {{"activation", "hard_sigmoid"}};
  for (const char* version : {"1", "2.15.0"}) {
    const std::vector<double> found = values_at_1(model_of_layer(version, "Activation", name));
    EXPECT_NEAR(found[0], 0.7, 1e-6) << version;
    EXPECT_EQ(found[1], 1) << version;
  }
  EXPECT_NEAR(values_at_1(model_of_layer("3.0.0", "Activation", name))[0], 4.0 / 6, 1e-6);
}

TEST(Keras2HardSigmoid, IsTheDefaultOfGatesThatConvolve) {
  const Json config = {{"filters", 1}, {"kernel_size", 1}, {"dtype", "float64"}};
  const auto gates = [&](const char* version) {
    Model model = model_from_config(model_of_layer(version, "ConvLSTM1D", config));
    return model.layers()[0]->get_config()["recurrent_activation"];
  };
  EXPECT_EQ(gates("3.15.1"), "sigmoid");
  EXPECT_EQ(gates("2.15.0")["config"]["dtype"], "float64");
}

/// An .h5 file says "hard_sigmoid" in one of its two meanings only.
TEST(Keras2HardSigmoid, IsNamedInKeras2sFilesAlone) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "antler_hard_sigmoid.h5").string();
  const auto text_of = [&](const Model& model) {
    model.save(path);
    return io::Hdf5Reader::open(path);
  };
  const Json name = {{"activation", "hard_sigmoid"}};
  Model old = model_from_config(model_of_layer("2.15.0", "Activation", name));
  old(Tensor::of<float>({1.0F}, {1, 1}));
  const io::Hdf5Reader alone = text_of(old);
  EXPECT_EQ(alone.string_attribute("", "keras_version"), "2.15.0");
  EXPECT_NE(alone.string_attribute("", "model_config")->find("\"hard_sigmoid\""),
            std::string::npos);

  Sequential both({old.layers()[0], Dense(1, {.activation = "hard_sigmoid"})});
  both(Tensor::of<float>({1.0F}, {1, 1}));
  const io::Hdf5Reader mixed = text_of(both);
  EXPECT_EQ(mixed.string_attribute("", "keras_version"), "3.15.1");
  EXPECT_NE(mixed.string_attribute("", "model_config")->find("\"Rescaling\""), std::string::npos);
  const Tensor x = Tensor::of<float>({1.0F, -0.3F}, {2, 1});
  EXPECT_EQ(load_model(path)(x).to_doubles(), both(x).to_doubles());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace antler
