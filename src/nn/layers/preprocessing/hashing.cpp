#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/hash.h"
#include "antler/core/string_handles.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/categorical.h"
#include "antler/ops/core.h"
#include "antler/ops/hash.h"
#include "antler/ops/host_map.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/encode.h"
#include "nn/layers/preprocessing/salt.h"

namespace antler {

namespace {

/// "mask_value": a number, a string or null.
struct MaskField {
  std::optional<HashingMask>& value;
};

void write_field(Json& out, const MaskField& field) {
  out = nullptr;
  if (field.value) std::visit([&](const auto& mask) { out = mask; }, *field.value);
}
void read_field(const Json& in, MaskField& field) {
  if (in.is_null()) {
    field.value.reset();
  } else if (in.is_string()) {
    field.value = in.get<std::string>();
  } else if (in.is_number_integer()) {
    field.value = in.get<int64_t>();
  } else {
    throw TypeError("expected a number or a string");
  }
}

}  // namespace

template <class V>
void fields(V& v, HashingOptions& o) {
  v.required("num_bins", o.num_bins);
  SaltField salt{o.salt};
  v("salt", salt);
  MaskField mask{o.mask_value};
  v("mask_value", mask);
  v("output_mode", o.output_mode);
  v("sparse", o.sparse);
}

template <class V>
void fields(V& v, HashedCrossingOptions& o) {
  v.required("num_bins", o.num_bins);
  v("output_mode", o.output_mode);
  v("sparse", o.sparse);
}

namespace {

template <class Options>
Options with_dtype(Options o) {
  if (!o.dtype) o.dtype = o.output_mode == "int" ? "int64" : "float32";
  return o;
}

void check_bins(const char* layer, int64_t num_bins) {
  if (num_bins > 0) return;
  throw ValueError(
      "The `num_bins` for `{}` cannot be `None` or non-positive values. Received: num_bins={}.",
      layer, num_bins);
}

HashingOptions checked(HashingOptions o) {
  check_bins("Hashing", o.num_bins);
  check_choice("Hashing", "output_mode", o.output_mode, {"int", "one_hot", "multi_hot", "count"});
  if (o.sparse && o.output_mode == "int") {
    throw ValueError(
        "`sparse` may only be true if `output_mode` is `\"one_hot\"`, `\"multi_hot\"`, or "
        "`\"count\"`. Received: sparse=True and output_mode=int");
  }
  o.salt = checked_salt("Hashing", std::move(o.salt));
  o = with_dtype(std::move(o));
  if (o.output_mode == "int" && *o.dtype != "int32" && *o.dtype != "int64") {
    throw ValueError(
        "When `output_mode=\"int\"`, `dtype` should be an integer type, 'int32' or 'in64'. "
        "Received: dtype={}",
        *o.dtype);
  }
  return o;
}

/// The number of bins without the bin of the mask value.
int64_t hashed_bins(const HashingOptions& o) {
  return o.mask_value && o.num_bins > 1 ? o.num_bins - 1 : o.num_bins;
}

TensorSpec same_shape(const TensorSpec& x) { return {DType::int64, x.shape}; }

int64_t bin_of(const std::string& string, const HashingOptions& o) {
  const bool masked = hashed_bins(o) < o.num_bins;
  const auto* mask = masked ? std::get_if<std::string>(&*o.mask_value) : nullptr;
  if (masked && mask == nullptr) {
    throw TypeError("Hashing: `mask_value` is a number, but the input holds strings.");
  }
  const auto bin =
      static_cast<int64_t>(salted_hash(string, o.salt) % static_cast<uint64_t>(hashed_bins(o)));
  return !masked ? bin : string == *mask ? 0 : bin + 1;
}

/// Replaces strings by their fingerprints, which crosses hash.
const ops::HostFunctionPtr& fingerprints() {
  static const ops::HostFunctionPtr function =
      ops::host_function(same_shape, [](const Tensor& x, const Tensor& out) {
        for (int64_t i = 0; i < x.size(); ++i) {
          out.mutable_data<int64_t>()[i] =
              static_cast<int64_t>(fingerprint64(string_of(x.data<uint64_t>()[i])));
        }
      });
  return function;
}

}  // namespace

Hashing::Hashing(int64_t num_bins, HashingOptions options)
    : Hashing(by_position<&HashingOptions::num_bins>("Hashing", std::move(options), num_bins)) {}

Hashing::Hashing(const HashingOptions& options)
    : LayerOf(checked(options)),
      map_(ops::host_function(same_shape, [o = options_](const Tensor& x, const Tensor& out) {
        for (int64_t i = 0; i < x.size(); ++i) {
          out.mutable_data<int64_t>()[i] = bin_of(string_of(x.data<uint64_t>()[i]), o);
        }
      })) {
  set_autocast(false);
}

Tensor Hashing::encode(const Tensor& bins) const {
  return encode_categories(bins, options_.output_mode, options_.num_bins, compute_dtype());
}

Tensor Hashing::call(const Tensor& input, const CallOptions&) {
  if (input.dtype() == kStringDType) return encode(ops::host_map(map_, input));
  const Tensor x = ops::cast(input, DType::int64);
  Tensor bins = ops::hash_bin(x, hashed_bins(options_), options_.salt);
  if (hashed_bins(options_) < options_.num_bins) {
    const auto* mask = std::get_if<int64_t>(&*options_.mask_value);
    if (mask == nullptr) {
      throw TypeError("Hashing: `mask_value` is a string, but the input holds numbers.");
    }
    bins = ops::where(ops::equal(x, *mask), 0, bins + 1);
  }
  return encode(bins);
}

Tensor Hashing::call_strings(const StringTensor& input) {
  const Tensor bins = Tensor::empty(DType::int64, input.shape);
  auto* out = bins.mutable_data<int64_t>();
  for (const std::string& string : input.values) *out++ = bin_of(string, options_);
  return encode(bins);
}

namespace {

HashedCrossingOptions checked(HashedCrossingOptions o) {
  check_bins("HashedCrossing", o.num_bins);
  check_choice("HashedCrossing", "output_mode", o.output_mode, {"int", "one_hot"});
  return with_dtype(std::move(o));
}

void check_features(const std::vector<Shape>& shapes) {
  if (shapes.size() < 2) {
    throw ValueError("`HashedCrossing` should be called on at least two inputs. Received: {}",
                     shapes.size());
  }
  for (const Shape& shape : shapes) {
    if (shape.rank() > 2 || (shape.rank() == 2 && shape[1] != 1)) {
      throw ValueError(
          "All `HashedCrossing` inputs should have shape `()`, `(batch_size)` or `(batch_size, "
          "1)`. Received: {}",
          shape);
    }
    if (shape != shapes[0]) {
      throw ValueError("All `HashedCrossing` inputs should have equal shape. Received: {} and {}",
                       shapes[0], shape);
    }
  }
}

}  // namespace

HashedCrossing::HashedCrossing(int64_t num_bins, HashedCrossingOptions options)
    : HashedCrossing(by_position<&HashedCrossingOptions::num_bins>("HashedCrossing",
                                                                   std::move(options), num_bins)) {}

HashedCrossing::HashedCrossing(const HashedCrossingOptions& options) : LayerOf(checked(options)) {
  set_autocast(false);
}

void HashedCrossing::build(const std::vector<Shape>& input_shapes) { check_features(input_shapes); }

Tensor HashedCrossing::encode(const Tensor& bins) const {
  return encode_categories(bins, options_.output_mode, options_.num_bins, compute_dtype());
}

Nest HashedCrossing::call(const Nest& inputs, const CallOptions&) {
  Tensors features = inputs.flatten();
  std::vector<Shape> shapes;
  for (Tensor& feature : features) {
    if (feature.dtype() == kStringDType) feature = ops::host_map(fingerprints(), feature);
    shapes.push_back(feature.shape());
    if (!is_integer(feature.dtype())) {
      throw ValueError(
          "All `HashedCrossing` inputs should have an integer or string dtype. Received: {}",
          dtype_name(feature.dtype()));
    }
  }
  check_features(shapes);
  return encode(ops::cross_hash_bin(features, options_.num_bins));
}

Tensor HashedCrossing::call_strings(const std::vector<StringTensor>& inputs) {
  Tensors handles;
  for (const StringTensor& input : inputs) handles.push_back(string_handles(input));
  return call(handles, {}).tensor();
}

Json HashedCrossing::get_config() const {
  Json config = LayerOf::get_config();
  config.erase("trainable");  // not an argument of Keras's class
  config["dtype"] = dtype_name(variable_dtype());
  return config;
}

LayerClasses hashing_layers() { return layer_classes<Hashing, HashedCrossing>(); }

}  // namespace antler
