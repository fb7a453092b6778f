// Sizes and names of whole networks against Keras's figures (tests/data/applications.json). Slow: a
// network draws tens of millions of weights.
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"
#include "support/paths.h"

namespace antler {
namespace {

using applications::ApplicationOptions;

/// FNV-1a, 64 bits, in hexadecimal.
std::string fnv1a(const std::string& text) {
  uint64_t value = 0xCBF29CE484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  char digits[17];
  std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(value));
  return digits;
}

Json figures_of(const Model& model) {
  std::string names;
  const std::vector<LayerPtr> layers = model.layers();
  for (const LayerPtr& layer : layers) names += (names.empty() ? "" : "\n") + layer->name();
  return {{"model", model.name()},   {"params", model.count_params()},
          {"layers", layers.size()}, {"weights", model.weights().size()},
          {"names", fnv1a(names)},   {"last", layers.back()->name()}};
}

Json keras_figures() {
  std::ifstream file(test::data_dir() / "applications.json");
  return Json::parse(file)["models"];
}

TEST(Applications, KnowsEveryModelOfKeras) {
  std::set<std::string> expected;
  for (const Json& entry : keras_figures()) expected.insert(entry["function"].get<std::string>());
  const std::vector<std::string> names = applications::names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), expected);
}

/// One complete network per family. The others differ only in their tables; making all forty takes
/// minutes.
TEST(Applications, SizesAndNamesAreKeras) {
  const std::set<std::string> small = {"ResNet50",         "ResNet50V2",     "MobileNetV2",
                                       "MobileNetV3Small", "EfficientNetB0", "EfficientNetV2B0",
                                       "DenseNet121",      "NASNetMobile"};
  for (const Json& entry : keras_figures()) {
    const std::string name = entry["function"];
    if (!small.contains(name)) continue;
    clear_session();
    EXPECT_EQ(figures_of(applications::by_name(name, {.weights = {}})), entry["whole"]) << name;
  }
}

/// Bodies for images of any size.
TEST(Applications, BodiesWithoutTopAreKeras) {
  const auto figures = keras_figures();
  const auto body_of = [&](const std::string& name) {
    for (const Json& entry : figures) {
      if (entry["function"] == name) return entry["body"];
    }
    return Json();
  };
  for (const char* name :
       {"VGG16", "InceptionV3", "InceptionResNetV2", "Xception", "ConvNeXtTiny"}) {
    clear_session();
    const ApplicationOptions options{.include_top = false, .weights = {}, .pooling = "avg"};
    EXPECT_EQ(figures_of(applications::by_name(name, options)), body_of(name)) << name;
  }
  clear_session();
  EXPECT_EQ(figures_of(applications::MobileNet(
                {.alpha = 0.5, .include_top = false, .weights = {}, .pooling = "avg"})),
            body_of("MobileNet"));
  clear_session();
  EXPECT_EQ(figures_of(applications::MobileNetV2(
                {.alpha = 0.5, .include_top = false, .weights = {}, .pooling = "avg"})),
            body_of("MobileNetV2"));
  clear_session();
  EXPECT_EQ(figures_of(applications::MobileNetV3Large(
                {.alpha = 0.5, .include_top = false, .weights = {}, .pooling = "avg"})),
            body_of("MobileNetV3Large"));
}

}  // namespace
}  // namespace antler
