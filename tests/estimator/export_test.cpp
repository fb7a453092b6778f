#include <cmath>
#include <fstream>

#include "antler/antler.h"
#include "antler/base/file.h"
#include "antler/core/string_handles.h"
#include "antler/estimator/scaffold.h"
#include "antler/io/example.h"
#include "antler/io/tensor_bundle.h"
#include "antler/ops/strings.h"
#include "antler/saving/saved_model.h"
#include "estimator/export/saved_model_export.h"
#include "estimator/folder_test.h"

namespace antler::estimator {
namespace {

/// y = x w + b with w [2, 3] all 2 and b all 1, from the checkpoint.
Tensor linear(const Nest& features) {
  const Tensor x = features.is_dict() ? features.at("x").tensor() : features.tensor();
  const Variable w = get_variable("dense/kernel", Tensor::zeros(DType::float32, {2, 3}));
  const Variable b = get_variable("dense/bias", Tensor::zeros(DType::float32, {3}));
  return ops::matmul(x, w.value()) + b.value();
}

EstimatorSpec model(const ModelFnArgs& args) {
  const Tensor y = linear(args.features);
  EstimatorSpec spec{.mode = args.mode, .predictions = Nest::dict({{"y", y}})};
  if (args.mode != ModeKeys::predict) {
    const Tensor error = ops::sum(y, -1) - ops::cast(args.labels.tensor(), DType::float32);
    spec.loss = ops::mean(error * error);
    spec.train_op = TrainOp::made();
  }
  return spec;
}

class Exports : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    io::save_tensor_bundle(path("model.ckpt-4"),
                           {{"dense/kernel", Tensor::full(DType::float32, {2, 3}, 2)},
                            {"dense/bias", Tensor::full(DType::float32, {3}, 1)},
                            {"global_step", Tensor::full(DType::int64, {}, 4)}});
    std::ofstream(path("checkpoint")) << "model_checkpoint_path: \"model.ckpt-4\"\n";
  }
  SavedModelRequest request(ModelFn model_fn, ServingInputReceiverFn receiver) const {
    return {.model_fn = std::move(model_fn),
            .model_dir = path(),
            .export_dir_base = path("export"),
            .modes = {{ModeKeys::predict, std::move(receiver)}}};
  }
  static ServingInputReceiverFn raw() {
    return build_raw_serving_input_receiver_fn(
        {{"x", Tensor::spec_only({DType::float32, {Shape::kUnknown, 2}})}});
  }
  static Tensor rows(int64_t n) { return Tensor::full(DType::float32, {n, 2}, 1); }
};

TEST_F(Exports, ASignatureServesAnyNumberOfRows) {
  const std::string folder = write_saved_model(request(model, raw()));
  EXPECT_EQ(std::filesystem::path(folder).filename().string().size(), 10U);
  for (const int64_t n : {1, 3, 5}) {
    const auto y = SavedModelFunction(folder)({{"x", rows(n)}}).at("y");
    EXPECT_EQ(y.shape(), Shape({n, 3}));
    EXPECT_EQ(y.to_vector<float>(), std::vector<float>(static_cast<size_t>(3 * n), 5));
  }
  const auto graphs = saved_model_graphs(folder);
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_EQ(graphs[0].tags, std::vector<std::string>{"serve"});
  ASSERT_EQ(graphs[0].signatures.size(), 1U);
  EXPECT_EQ(graphs[0].signatures[0].method_name, "tensorflow/serving/predict");
  EXPECT_EQ(graphs[0].signatures[0].inputs[0].shape, Shape({Shape::kUnknown, 2}));
  EXPECT_EQ(io::TensorBundle::open(folder + "/variables/variables").keys(),
            (std::vector<std::string>{"dense/bias", "dense/kernel", "global_step"}));
  EXPECT_THROW(SavedModelFunction(folder, "nothing"), ValueError);
  EXPECT_THROW(SavedModelFunction(folder, "serving_default", {"train"}), ValueError);
  const SavedModelFunction serve(folder);
  EXPECT_THROW(serve({}), ValueError);
  EXPECT_THROW(serve({{"x", rows(1)}, {"z", rows(1)}}), ValueError);
}

TEST_F(Exports, TextAndExtraAssetsAreWritten) {
  std::ofstream(path("notes")) << "hello";
  SavedModelRequest r =
      request(model, build_raw_serving_input_receiver_fn(
                         {{"x", Tensor::spec_only({DType::float32, {Shape::kUnknown, 2}})}}, 3));
  r.as_text = true;
  r.assets_extra = {{"sub/notes.txt", path("notes")}};
  const std::string folder = write_saved_model(r);
  EXPECT_FALSE(std::filesystem::exists(folder + "/saved_model.pb"));
  EXPECT_EQ(read_file(folder + "/assets.extra/sub/notes.txt"), "hello");
  EXPECT_EQ(saved_model_graphs(folder)[0].signatures[0].outputs[0].shape, Shape({3, 3}));
  EXPECT_EQ(SavedModelFunction(folder)({{"x", rows(3)}}).at("y").to_vector<float>()[0], 5);
}

TEST_F(Exports, KindsOfOutputsAreSignatures) {
  const ModelFn outputs = ModelFn([](const ModelFnArgs& args) {
    const Tensor y = linear(args.features);
    EstimatorSpec spec{.mode = args.mode, .predictions = Nest::dict({{"y", y}})};
    const Tensor names = ops::expand_dims(ops::as_string(ops::argmax(y, -1)), 1);
    spec.export_outputs =
        ExportOutputs{{"serving_default", PredictOutput{Nest::dict({{"y", y}})}},
                      {"one", PredictOutput{Nest(y)}},
                      {"classify", ClassificationOutput{.scores = y, .classes = names}},
                      {"regress", RegressionOutput{ops::sum(y, -1)}}};
    return spec;
  });
  const std::string folder = write_saved_model(
      request(outputs, build_parsing_serving_input_receiver_fn({{"x", {.shape = {2}}}})));
  const std::vector<std::string> examples(2, io::format_example({{"x", std::vector<float>{1, 1}}}));
  const Tensor bytes = string_handles(StringTensor(examples));
  EXPECT_EQ(SavedModelFunction(folder, "one")({{"examples", bytes}}).at("output").shape(),
            Shape({2, 3}));
  const auto classified = SavedModelFunction(folder, "classify")({{"inputs", bytes}});
  EXPECT_EQ(strings_of(classified.at("classes")).values, (std::vector<std::string>{"0", "0"}));
  EXPECT_EQ(classified.at("scores").to_vector<float>()[0], 5);
  EXPECT_EQ(
      SavedModelFunction(folder, "regress")({{"inputs", bytes}}).at("outputs").to_vector<float>(),
      (std::vector<float>{15, 15}));
  // Without strings there is nothing to classify.
  const auto signatures =
      saved_model_graphs(write_saved_model(request(outputs, raw())))[0].signatures;
  ASSERT_EQ(signatures.size(), 2U);
  EXPECT_EQ(signatures[0].name, "one");
}

TEST_F(Exports, FeaturesAreComputedFromWhatIsReceived) {
  const auto receiver = [] {
    return ServingInputReceiver{
        .receiver_tensors = {{"raw", {{DType::float32, {Shape::kUnknown, 2}}}}},
        .features =
            [](const Nest& received) {
              return Nest::dict({{"x", received.at("raw").tensor() * 2.0F}});
            },
        .receiver_tensors_alternatives = {{"ready", {{"x", "x"}}}}};
  };
  const std::string folder = write_saved_model(request(model, receiver));
  EXPECT_EQ(SavedModelFunction(folder)({{"raw", rows(2)}}).at("y").to_vector<float>()[0], 9);
  EXPECT_EQ(SavedModelFunction(folder, "ready:serving_default")({{"x", rows(2)}})
                .at("y")
                .to_vector<float>()[0],
            5);
}

TEST_F(Exports, SeveralModesShareTheVariables) {
  SavedModelRequest r = request(model, raw());
  const auto supervised = build_raw_supervised_input_receiver_fn(
      {{"x", Tensor::spec_only({DType::float32, {Shape::kUnknown, 2}})}},
      Nest(Tensor::spec_only({DType::int64, {Shape::kUnknown}})));
  r.modes.push_back({ModeKeys::eval, supervised});
  r.modes.push_back({ModeKeys::train, supervised});
  const std::string folder = write_saved_model(r);
  const auto graphs = saved_model_graphs(folder);
  ASSERT_EQ(graphs.size(), 3U);
  EXPECT_EQ(graphs[0].tags, std::vector<std::string>{"train"});
  EXPECT_EQ(graphs[1].tags, std::vector<std::string>{"eval"});
  EXPECT_EQ(graphs[0].signatures[0].name, "train");
  const auto result = SavedModelFunction(
      folder, "eval", {"eval"})({{"x", rows(2)}, {"label", Tensor::of<int64_t>({14, 15})}});
  EXPECT_EQ(result.at("predictions/y").to_vector<float>()[0], 5);
  EXPECT_FLOAT_EQ(result.at("loss").to_vector<float>()[0], 0.5F);
}

TEST_F(Exports, WrongRequestsLeaveNothingBehind) {
  EXPECT_THROW(write_saved_model(request(model, {})), ValueError);
  SavedModelRequest r = request(model, raw());
  r.model_dir = path("nothing");
  EXPECT_THROW(write_saved_model(r), ValueError);
  const ModelFn larger = ModelFn([](const ModelFnArgs& args) {
    get_variable("extra", Tensor::zeros(DType::float32, {1}));
    return model(args);
  });
  EXPECT_THROW(write_saved_model(request(larger, raw())), ValueError);
  const ModelFn unnamed = ModelFn([](const ModelFnArgs& args) {
    EstimatorSpec spec = model(args);
    const Nest y(spec.predictions->at("y").tensor());
    spec.export_outputs = ExportOutputs{{"a", PredictOutput{y}}, {"b", PredictOutput{y}}};
    return spec;
  });
  EXPECT_THROW(write_saved_model(request(unnamed, raw())), ValueError);
  r = request(model, raw());
  r.assets_extra = {{"../outside", path("checkpoint")}};
  EXPECT_THROW(write_saved_model(r), ValueError);
  r.assets_extra = {{"a", path("missing")}};
  EXPECT_THROW(write_saved_model(r), NotFoundError);
  size_t left = 0;
  if (exists("export")) {
    for (const auto& entry : std::filesystem::directory_iterator(path("export"))) {
      left += entry.is_directory() ? 1 : 0;
    }
  }
  EXPECT_EQ(left, 0U);
}

}  // namespace
}  // namespace antler::estimator
