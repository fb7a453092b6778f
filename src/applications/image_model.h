#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/applications/options.h"
#include "antler/training/model.h"

/// What the builders of all families share: the checks of arguments and the input at the start, the
/// top and the weights at the end.
namespace antler::applications {

/// One file that Keras offers.
struct WeightsFile {
  std::string url;
  std::string hash;       ///< MD5 or SHA-256 in hexadecimal; empty: not compared
  std::string name = {};  ///< in the cache; empty: the last part of the address
};
/// The weights of ImageNet of one model.
struct ImagenetWeights {
  WeightsFile with_top;
  WeightsFile without_top;
};

/// Files NAME + `with_top` and NAME + `without_top` of a folder of Keras's.
ImagenetWeights imagenet_weights(const std::string& url, const std::string& with_top,
                                 const std::string& without_top,
                                 const std::string& hash_with_top = "",
                                 const std::string& hash_without_top = "");

bool is_imagenet(const ApplicationOptions& options);
/// Throws ValueError unless `weights`, `classes`, `pooling` and `classifier_activation` go
/// together.
void check_arguments(const ApplicationOptions& options);
/// The shape of a sample, Keras's obtain_input_shape(). Throws ValueError for one that does not
/// fit.
Shape obtain_input_shape(const ApplicationOptions& options, int64_t default_size, int64_t min_size);
/// `input_tensor`, or a new Input.
Tensor image_input(const ApplicationOptions& options, const Shape& shape);
/// check_arguments(), obtain_input_shape() and image_input().
Tensor begin_model(const ApplicationOptions& options, int64_t default_size, int64_t min_size);

/// How the layers at the end are called.
struct EndNames {
  std::optional<std::string> average = {};      ///< the global average before the classifier
  std::optional<std::string> avg_pooling = {};  ///< `pooling` without top
  std::optional<std::string> max_pooling = {};
};
/// `average` under that name, `pooling` without names.
EndNames named_average();
/// "avg_pool" and "max_pool".
EndNames named_pooling();

/// Without top: `pooling`.
Tensor pooled(const ApplicationOptions& options, const Tensor& x, const EndNames& names);
/// The most common end: a global average and "predictions", or `pooling`.
Tensor end_model(const ApplicationOptions& options, const Tensor& x, const EndNames& names);

/// How a model has the placeholders that `input_tensor` was computed from.
enum class Sources { in_a_list, first_alone };

/// The model from the sources of its input to `output`, with its weights loaded.
Model finish_model(const ApplicationOptions& options, const Tensor& input, const Tensor& output,
                   const std::string& default_name, const ImagenetWeights& files,
                   Sources form = Sources::in_a_list);

/// The fields that all structs of options have.
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
