#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/applications/options.h"
#include "antler/training/model.h"

/// Shared parts of all model builders: argument checks and input at the start, top and weights at
/// the end.
namespace antler::applications {

/// A weights file that Keras publishes.
struct WeightsFile {
  std::string url;
  std::string hash;       ///< MD5 or SHA-256 in hexadecimal; empty: not checked
  std::string name = {};  ///< file name in the cache; default: that of the URL
};
/// The ImageNet weights of a model.
struct ImagenetWeights {
  WeightsFile with_top;
  WeightsFile without_top;
};

/// The files `with_top` and `without_top` in the folder `url`.
ImagenetWeights imagenet_weights(const std::string& url, const std::string& with_top,
                                 const std::string& without_top,
                                 const std::string& hash_with_top = "",
                                 const std::string& hash_without_top = "");

bool is_imagenet(const ApplicationOptions& options);
/// Throws ValueError unless `weights`, `classes`, `pooling` and `classifier_activation` are valid
/// together.
void check_arguments(const ApplicationOptions& options);
/// Keras's obtain_input_shape(): the shape of a sample. Throws ValueError for an invalid shape.
Shape obtain_input_shape(const ApplicationOptions& options, int64_t default_size, int64_t min_size);
/// `input_tensor`, or a new Input.
Tensor image_input(const ApplicationOptions& options, const Shape& shape);
/// check_arguments(), obtain_input_shape() and image_input().
Tensor begin_model(const ApplicationOptions& options, int64_t default_size, int64_t min_size);

/// Names of the last layers.
struct EndNames {
  std::optional<std::string> average = {};  ///< the global average pooling before the classifier
  std::optional<std::string> avg_pooling = {};  ///< `pooling` without top
  std::optional<std::string> max_pooling = {};
};
/// {.average = "avg_pool"}.
EndNames named_average();
/// "avg_pool" and "max_pool", with and without top.
EndNames named_pooling();

/// The end of a model without top: `pooling`.
Tensor pooled(const ApplicationOptions& options, const Tensor& x, const EndNames& names);
/// The end of most models: global average pooling and "predictions", or `pooling`.
Tensor end_model(const ApplicationOptions& options, const Tensor& x, const EndNames& names);

/// Whether the inputs of a model are a list of all sources of `input_tensor`, or only the first.
enum class Sources { all_in_list, first_only };

/// Builds the model and loads its weights.
Model finish_model(const ApplicationOptions& options, const Tensor& input, const Tensor& output,
                   const std::string& default_name, const ImagenetWeights& files,
                   Sources form = Sources::all_in_list);

/// The fields that all option structs share.
template <class Options>
ApplicationOptions common_options(const Options& o) {
  return {.include_top = o.include_top,
          .weights = o.weights,
          .input_tensor = o.input_tensor,
          .input_shape = o.input_shape,
          .pooling = o.pooling,
          .classes = o.classes,
          .classifier_activation = o.classifier_activation,
          .name = o.name};
}

}  // namespace antler::applications
