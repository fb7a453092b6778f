#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/optional_shape.h"
#include "antler/nn/layer.h"

namespace antler {

/// Options of Input().
struct InputOptions {
  std::optional<int64_t> batch_size = {};           ///< not given: any
  std::string dtype = dtype_name(default_float());  ///< "string": see string_handles()
  bool sparse = false;  ///< kept for the configuration: data is dense here
  bool ragged = false;  ///< likewise
  std::optional<std::string> name = {};
  bool optional = false;  ///< kept for the configuration: every input must be given
};

/// Arguments of Input() by name.
struct InputArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Shape shape = {};                        ///< without the batch
  std::optional<int64_t> batch_size = {};  ///< not given: any
  std::string dtype = dtype_name(default_float());
  bool sparse = false;             ///< kept for the configuration: data is dense here
  bool ragged = false;             ///< likewise
  OptionalShape batch_shape = {};  ///< with the batch, in place of `shape` and `batch_size`
  std::optional<std::string> name = {};
  bool optional = false;  ///< kept for the configuration: every input must be given
};

/// The layer behind Input(): the start of a functional graph.
class InputLayer final : public LayerBase<InputLayer> {
 public:
  /// `shape` without the batch.
  explicit InputLayer(const Shape& shape, const InputOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(InputLayer, InputOptions, const Shape&)

  const Shape& batch_shape() const { return batch_shape_; }
  /// kStringDType for strings.
  DType dtype() const { return dtype_; }
  bool takes_strings() const { return takes_strings_; }
  /// The placeholder that stands for the data.
  Tensor placeholder() const;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Json get_config() const override;

 private:
  Shape batch_shape_;
  bool takes_strings_;
  DType dtype_;
  bool sparse_;
  bool ragged_;
  bool optional_;
};

/// A placeholder for data of `shape` (without the batch): where a functional model starts; also the
/// first element of a Sequential.
Tensor input_of_shape(const Shape& shape, const InputOptions& options);
// A template, because g++ would convert arguments in braces to a shape.
template <class S = Shape>
Tensor Input(const std::type_identity_t<S>& shape, const InputOptions& options = {}) {
  return input_of_shape(shape, options);
}
template <class... K>
requires KeywordArguments<K...> Tensor Input(const Shape& shape, K... keywords) {
  return input_of_shape(shape, from_keywords<InputOptions>(std::move(keywords)...));
}
/// `Input({.shape = {28, 28}, .name = "image"})`. Throws ValueError for a batch shape together with
/// a shape or batch size.
Tensor Input(const InputArguments& arguments);
ANTLER_KEYWORD_FUNCTION(Input, InputArguments)

}  // namespace antler
