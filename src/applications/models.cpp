#include "antler/applications/models.h"

#include <cctype>
#include <functional>

#include "antler/base/error.h"

namespace antler::applications {
namespace {

/// A model and the preprocessing mode of its images.
struct Entry {
  const char* name;
  const char* preprocessing;
  std::function<Model(const ApplicationOptions&)> build;
};

/// Copies the fields of ApplicationOptions to another options struct.
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
      {"ResNet50", "caffe", adapted<ApplicationOptions>(ResNet50)},
      {"ResNet101", "caffe", adapted<ApplicationOptions>(ResNet101)},
      {"ResNet152", "caffe", adapted<ApplicationOptions>(ResNet152)},
      {"ResNet50V2", "tf", adapted<ApplicationOptions>(ResNet50V2)},
      {"ResNet101V2", "tf", adapted<ApplicationOptions>(ResNet101V2)},
      {"ResNet152V2", "tf", adapted<ApplicationOptions>(ResNet152V2)},
      {"VGG16", "caffe", adapted<ApplicationOptions>(VGG16)},
      {"VGG19", "caffe", adapted<ApplicationOptions>(VGG19)},
      {"MobileNet", "tf", adapted<MobileNetOptions>(MobileNet)},
      {"MobileNetV2", "tf", adapted<MobileNetV2Options>(MobileNetV2)},
      {"MobileNetV3Small", "", adapted<MobileNetV3Options>(MobileNetV3Small)},
      {"MobileNetV3Large", "", adapted<MobileNetV3Options>(MobileNetV3Large)},
      {"EfficientNetB0", "", adapted<ApplicationOptions>(EfficientNetB0)},
      {"EfficientNetB1", "", adapted<ApplicationOptions>(EfficientNetB1)},
      {"EfficientNetB2", "", adapted<ApplicationOptions>(EfficientNetB2)},
      {"EfficientNetB3", "", adapted<ApplicationOptions>(EfficientNetB3)},
      {"EfficientNetB4", "", adapted<ApplicationOptions>(EfficientNetB4)},
      {"EfficientNetB5", "", adapted<ApplicationOptions>(EfficientNetB5)},
      {"EfficientNetB6", "", adapted<ApplicationOptions>(EfficientNetB6)},
      {"EfficientNetB7", "", adapted<ApplicationOptions>(EfficientNetB7)},
      {"EfficientNetV2B0", "", adapted<EfficientNetV2Options>(EfficientNetV2B0)},
      {"EfficientNetV2B1", "", adapted<EfficientNetV2Options>(EfficientNetV2B1)},
      {"EfficientNetV2B2", "", adapted<EfficientNetV2Options>(EfficientNetV2B2)},
      {"EfficientNetV2B3", "", adapted<EfficientNetV2Options>(EfficientNetV2B3)},
      {"EfficientNetV2S", "", adapted<EfficientNetV2Options>(EfficientNetV2S)},
      {"EfficientNetV2M", "", adapted<EfficientNetV2Options>(EfficientNetV2M)},
      {"EfficientNetV2L", "", adapted<EfficientNetV2Options>(EfficientNetV2L)},
      {"DenseNet121", "torch", adapted<ApplicationOptions>(DenseNet121)},
      {"DenseNet169", "torch", adapted<ApplicationOptions>(DenseNet169)},
      {"DenseNet201", "torch", adapted<ApplicationOptions>(DenseNet201)},
      {"InceptionV3", "tf", adapted<ApplicationOptions>(InceptionV3)},
      {"InceptionResNetV2", "tf", adapted<ApplicationOptions>(InceptionResNetV2)},
      {"Xception", "tf", adapted<ApplicationOptions>(Xception)},
      {"NASNetMobile", "tf", adapted<ApplicationOptions>(NASNetMobile)},
      {"NASNetLarge", "tf", adapted<ApplicationOptions>(NASNetLarge)},
      {"ConvNeXtTiny", "", adapted<ConvNeXtOptions>(ConvNeXtTiny)},
      {"ConvNeXtSmall", "", adapted<ConvNeXtOptions>(ConvNeXtSmall)},
      {"ConvNeXtBase", "", adapted<ConvNeXtOptions>(ConvNeXtBase)},
      {"ConvNeXtLarge", "", adapted<ConvNeXtOptions>(ConvNeXtLarge)},
      {"ConvNeXtXLarge", "", adapted<ConvNeXtOptions>(ConvNeXtXLarge)},
  };
  return list;
}

std::string normalized(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (c != '_' && c != '-') {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return result;
}

const Entry& find(const std::string& name) {
  const std::string wanted = normalized(name);
  std::string known;
  for (const Entry& entry : entries()) {
    if (normalized(entry.name) == wanted) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw ValueError("Unknown application: '{}'. Known applications: {}.", name, known);
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
