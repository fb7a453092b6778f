#include "antler/applications/models.h"

#include <cctype>
#include <functional>

#include "antler/base/error.h"

namespace antler::applications {
namespace {

/// A function of models.h, with the preprocessing that its images need.
struct Entry {
  const char* name;
  const char* preprocessing;
  std::function<Model(const ApplicationOptions&)> build;
};

/// The fields of other structs that ApplicationOptions has too.
template <class Options>
Options with_common(const ApplicationOptions& o) {
  Options options;
  options.input_shape = o.input_shape;
  options.include_top = o.include_top;
  options.weights = o.weights;
  options.input_tensor = o.input_tensor;
  options.pooling = o.pooling;
  options.classes = o.classes;
  options.classifier_activation = o.classifier_activation;
  options.name = o.name;
  return options;
}

template <class Options>
std::function<Model(const ApplicationOptions&)> adapted(Model (*build)(const Options&)) {
  return [build](const ApplicationOptions& o) { return build(with_common<Options>(o)); };
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = {
      {"ResNet50", "caffe", ResNet50},
      {"ResNet101", "caffe", ResNet101},
      {"ResNet152", "caffe", ResNet152},
      {"ResNet50V2", "tf", ResNet50V2},
      {"ResNet101V2", "tf", ResNet101V2},
      {"ResNet152V2", "tf", ResNet152V2},
      {"VGG16", "caffe", VGG16},
      {"VGG19", "caffe", VGG19},
      {"MobileNet", "tf", adapted(MobileNet)},
      {"MobileNetV2", "tf", adapted(MobileNetV2)},
      {"MobileNetV3Small", "", adapted(MobileNetV3Small)},
      {"MobileNetV3Large", "", adapted(MobileNetV3Large)},
      {"EfficientNetB0", "", EfficientNetB0},
      {"EfficientNetB1", "", EfficientNetB1},
      {"EfficientNetB2", "", EfficientNetB2},
      {"EfficientNetB3", "", EfficientNetB3},
      {"EfficientNetB4", "", EfficientNetB4},
      {"EfficientNetB5", "", EfficientNetB5},
      {"EfficientNetB6", "", EfficientNetB6},
      {"EfficientNetB7", "", EfficientNetB7},
      {"EfficientNetV2B0", "", adapted(EfficientNetV2B0)},
      {"EfficientNetV2B1", "", adapted(EfficientNetV2B1)},
      {"EfficientNetV2B2", "", adapted(EfficientNetV2B2)},
      {"EfficientNetV2B3", "", adapted(EfficientNetV2B3)},
      {"EfficientNetV2S", "", adapted(EfficientNetV2S)},
      {"EfficientNetV2M", "", adapted(EfficientNetV2M)},
      {"EfficientNetV2L", "", adapted(EfficientNetV2L)},
      {"DenseNet121", "torch", DenseNet121},
      {"DenseNet169", "torch", DenseNet169},
      {"DenseNet201", "torch", DenseNet201},
      {"InceptionV3", "tf", InceptionV3},
      {"InceptionResNetV2", "tf", InceptionResNetV2},
      {"Xception", "tf", Xception},
      {"NASNetMobile", "tf", NASNetMobile},
      {"NASNetLarge", "tf", NASNetLarge},
      {"ConvNeXtTiny", "", adapted(ConvNeXtTiny)},
      {"ConvNeXtSmall", "", adapted(ConvNeXtSmall)},
      {"ConvNeXtBase", "", adapted(ConvNeXtBase)},
      {"ConvNeXtLarge", "", adapted(ConvNeXtLarge)},
      {"ConvNeXtXLarge", "", adapted(ConvNeXtXLarge)},
  };
  return list;
}

std::string plain(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (c != '_' && c != '-') {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return result;
}

const Entry& find(const std::string& name) {
  const std::string wanted = plain(name);
  std::string known;
  for (const Entry& entry : entries()) {
    if (plain(entry.name) == wanted) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw ValueError("Unknown application: '{}'. Known are: {}.", name, known);
}

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const Entry& entry : entries()) result.emplace_back(entry.name);
  return result;
}

Model by_name(const std::string& name, const ApplicationOptions& options) {
  return find(name).build(options);
}

std::string preprocessing_mode(const std::string& name) { return find(name).preprocessing; }

}  // namespace antler::applications
