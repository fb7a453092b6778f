#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/categorical.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/encode.h"

namespace antler {

template <class V>
void fields(V& v, CategoryEncodingOptions& o) {
  v("num_tokens", o.num_tokens);
  v("output_mode", o.output_mode);
  v("sparse", o.sparse);
}

namespace {

CategoryEncodingOptions checked(CategoryEncodingOptions o) {
  if (o.output_mode == "binary") o.output_mode = "multi_hot";
  check_choice("CategoryEncoding", "output_mode", o.output_mode, {"count", "one_hot", "multi_hot"});
  if (o.num_tokens < 1) {
    throw ValueError("`num_tokens` must be >= 1. Received: num_tokens={}.", o.num_tokens);
  }
  return o;
}

}  // namespace

CategoryEncoding::CategoryEncoding(int64_t num_tokens, CategoryEncodingOptions options)
    : CategoryEncoding(by_position<&CategoryEncodingOptions::num_tokens>(
          "CategoryEncoding", std::move(options), num_tokens)) {}

CategoryEncoding::CategoryEncoding(const CategoryEncodingOptions& options)
    : LayerOf(checked(options)) {
  set_autocast(false);
}

void CategoryEncoding::build(const std::vector<Shape>&) {}

CallSignature CategoryEncoding::call_signature() const {
  return {.inputs = {"inputs", "count_weights"}, .keywords = {}};
}

Tensor CategoryEncoding::call(const Tensor& input, const CallOptions&) {
  return encode_categories(input, options_.output_mode, options_.num_tokens, compute_dtype());
}

Nest CategoryEncoding::call(const Nest& inputs, const CallOptions& options) {
  if (inputs.is_tensor()) return call(inputs.tensor(), options);
  const Tensors leaves = inputs.flatten();
  if (leaves.size() == 1) return call(leaves[0], options);
  if (leaves.size() != 2 || options_.output_mode != "count") {
    throw ValueError(
        "CategoryEncoding: a second input, `count_weights`, is used only when `output_mode` is "
        "'count'. Received: {} inputs and output_mode='{}'.",
        leaves.size(), options_.output_mode);
  }
  return encode_categories(leaves[0], options_.output_mode, options_.num_tokens, compute_dtype(),
                           leaves[1]);
}

Json CategoryEncoding::get_config() const {
  Json config = LayerOf::get_config();
  config.erase("sparse");  // not written by Keras
  return config;
}

LayerClasses category_encoding_layers() { return layer_classes<CategoryEncoding>(); }

}  // namespace antler
