// SavedModels with several functions, as Antler's own reader runs them. TensorFlow reads them in
// python/tests/test_export.py.
#include "saving/export/saved_model_archive.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/io/tensor_bundle.h"
#include "antler/ir/tracer.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "antler/saving/saved_model.h"

namespace antler::saving {
namespace {

namespace fs = std::filesystem;

class Archive : public testing::Test {
 protected:
  // A folder for each test: they run side by side.
  Archive()
      : folder_(fs::temp_directory_path() /
                (std::string("antler_archive_") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
  }
  ~Archive() override { fs::remove_all(folder_); }
  std::string path() const { return folder_.string(); }

  const Variable weights_{Tensor::of<float>({1, 2, 3, 4}, {2, 2}), {.name = "weights"}};
  const Variable calls_{Tensor::of<int32_t>({0}, {}), {.name = "calls", .trainable = false}};

 private:
  fs::path folder_;
};

const CallTree kLeaf;

/// The results of a function of rows [batch, 2].
void add(SavedModelArchive& archive, const std::string& name,
         const std::vector<std::string>& outputs,
         const std::function<Tensors(const Tensor& x)>& function) {
  CallTree results{CallTree::Kind::tuple};
  for (size_t i = 0; i < outputs.size(); ++i) results.items.emplace_back("", kLeaf);
  archive.add_endpoint(
      {name, {"x"}, {CallTree::Kind::tuple, {{"", kLeaf}}}, {"x"}, results, outputs},
      BatchGraph([&](int64_t batch) {
        ir::Tracer tracer;
        const Tensor x = tracer.input({DType::float32, {batch, 2}});
        return ir::prune(tracer.finish(function(x)).graph);
      }));
}

TEST_F(Archive, EachFunctionIsASignature) {
  SavedModelArchive archive;
  // The order of the results is not that of their names.
  add(archive, "product", {"product", "negative"}, [&](const Tensor& x) {
    calls_.assign_add(1);
    return Tensors{ops::matmul(x, weights_.value()), ops::negative(x)};
  });
  add(archive, "twice", {"y"}, [&](const Tensor& x) { return Tensors{ops::add(x, x)}; });
  archive.add_variables("mine", {weights_});
  archive.save(path());

  const std::vector<SavedModelGraph> graphs = saved_model_graphs(path());
  ASSERT_EQ(graphs.size(), 1);
  std::vector<std::string> names;
  for (const SavedModelSignature& s : graphs[0].signatures) names.push_back(s.name);
  EXPECT_EQ(names, (std::vector<std::string>{"product", "serving_default", "twice"}));
  EXPECT_EQ(graphs[0].signatures[0].inputs[0].shape, Shape({Shape::kUnknown, 2}));

  const Tensor x = Tensor::of<float>({1, 0, 0, 1, 1, 1}, {3, 2});
  for (const char* signature : {"product", "serving_default"}) {
    const auto results = SavedModelFunction(path(), signature)({{"x", x}});
    EXPECT_EQ(results.at("product").to_doubles(), (std::vector<double>{1, 2, 3, 4, 4, 6}));
    EXPECT_EQ(results.at("negative").to_doubles(), (std::vector<double>{-1, 0, 0, -1, -1, -1}));
  }
  const auto doubled = SavedModelFunction(path(), "twice")({{"x", x}});
  EXPECT_EQ(doubled.at("y").to_doubles(), (std::vector<double>{2, 0, 0, 2, 2, 2}));
}

TEST_F(Archive, AVariableIsSavedOnce) {
  SavedModelArchive archive;
  const auto product = [&](const Tensor& x) { return Tensors{ops::matmul(x, weights_.value())}; };
  add(archive, "one", {"y"}, product);
  add(archive, "two", {"y"}, product);
  archive.add_variables("all", {weights_, calls_});
  archive.add_variables("some", {weights_});
  archive.save(path());
  const io::TensorBundle bundle = io::TensorBundle::open(path() + "/variables/variables");
  EXPECT_EQ(bundle.keys(), (std::vector<std::string>{"_CHECKPOINTABLE_OBJECT_GRAPH",
                                                     "variables/0/.ATTRIBUTES/VARIABLE_VALUE",
                                                     "variables/1/.ATTRIBUTES/VARIABLE_VALUE"}));
  EXPECT_EQ(bundle.read("variables/0/.ATTRIBUTES/VARIABLE_VALUE").to_doubles(),
            (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(Archive, RefusesTwoAttributesOfOneName) {
  SavedModelArchive archive;
  add(archive, "mine", {"y"}, [](const Tensor& x) { return Tensors{x}; });
  archive.add_variables("mine", {weights_});
  EXPECT_THROW(archive.save(path()), ValueError);
  EXPECT_FALSE(fs::exists(path()));
}

}  // namespace
}  // namespace antler::saving
