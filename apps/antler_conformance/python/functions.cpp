// Functions of Keras: settings, utilities, and functions about models.
#include <map>
#include <utility>

#include "antler/data/utils/arrays.h"
#include "antler/data/utils/datasets.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/object_factory.h"
#include "antler/nn/random_seed.h"
#include "antler/nn/registry.h"
#include "antler/ops/numpy/creation.h"
#include "antler/training/clone_model.h"
#include "antler/training/saving.h"
#include "python/interpreter.h"

namespace antler::conformance::python {
namespace {

// ---- keras.config ----

Value set_floatx(const Arguments& arguments, Session&) {
  const Reader in(arguments, {"value"});
  set_default_float(parse_dtype(to_string(in["value"])));
  return {};
}

Value set_dtype_policy(const Arguments& arguments, Session&) {
  const Reader in(arguments, {"policy"});
  mixed_precision::set_global_policy(to_string(in["policy"]));
  return {};
}

Value set_image_data_format(const Arguments& arguments, Session&) {
  const Reader in(arguments, {"data_format"});
  if (to_string(in["data_format"]) != "channels_last")
    throw Unwritable{"a default image data format other than channels_last"};
  return {};
}

Value clear(const Arguments& arguments, Session&) {
  const Reader in(arguments, {"free_memory"});
  clear_session();
  return {};
}

// ---- keras.utils ----

Value to_categorical(const Arguments& arguments, Session&) {
  const Reader in(arguments, {"x", "num_classes"});
  return {utils::to_categorical(array_of(in["x"]), to_optional_integer(in["num_classes"]))};
}

Value normalize(const Arguments& arguments, Session&) {
  const Reader in(arguments, {"x", "axis", "order"});
  return {utils::normalize(array_of(in["x"]), to_optional_integer(in["axis"]).value_or(-1),
                           in.given("order") ? to_number(in["order"]) : 2)};
}

Value pad_sequences(const Arguments& arguments, Session&) {
  const Reader in(arguments, {"sequences", "maxlen", "dtype", "padding", "truncating", "value"});
  Tensors sequences;
  for (const Value& item : items_of(in["sequences"])) {
    items_of(item);  // throws Unwritable for numbers
    sequences.push_back(array_of(item));
  }
  utils::PadSequencesOptions options;
  options.maxlen = to_optional_integer(in["maxlen"]);
  if (in.given("dtype")) options.dtype = *to_dtype(in["dtype"]);
  if (in.given("padding")) options.padding = to_string(in["padding"]);
  if (in.given("truncating")) options.truncating = to_string(in["truncating"]);
  if (in.given("value")) options.value = to_number(in["value"]);
  return {utils::pad_sequences(sequences, options)};
}

Value set_seed(const Arguments& arguments, Session&) {
  const Reader in(arguments, {"seed"});
  const int64_t seed = to_integer(in["seed"]);
  if (seed < 0) throw Unwritable{"a negative seed"};
  set_random_seed(static_cast<uint64_t>(seed));
  return {};
}

Value timeseries(const Arguments& arguments, Session&) {
  const Reader in(arguments,
                  {"data", "targets", "sequence_length", "sequence_stride", "sampling_rate",
                   "batch_size", "shuffle", "seed", "start_index", "end_index"});
  utils::TimeseriesOptions options;
  if (in.given("sequence_stride")) options.sequence_stride = to_integer(in["sequence_stride"]);
  if (in.given("sampling_rate")) options.sampling_rate = to_integer(in["sampling_rate"]);
  if (in.given("batch_size")) options.batch_size = to_integer(in["batch_size"]);
  if (in.given("shuffle")) options.shuffle = to_bool(in["shuffle"]);
  options.start_index = to_optional_integer(in["start_index"]);
  options.end_index = to_optional_integer(in["end_index"]);
  utils::timeseries_dataset_from_array(array_of(in["data"]), to_tensor(in["targets"]),
                                       to_integer(in["sequence_length"]), options);
  return {};
}

utils::PartSize part_size(const Value& value) {
  if (value.is_none()) return {};
  if (value.get<int64_t>() != nullptr) return to_integer(value);
  return to_number(value);
}

Value split_dataset(const Arguments& arguments, Session&) {
  const Reader in(arguments, {"dataset", "left_size", "right_size", "shuffle", "seed"});
  utils::split_dataset(to_nest(in["dataset"]),
                       {.left_size = part_size(in["left_size"]),
                        .right_size = part_size(in["right_size"]),
                        .shuffle = in.given("shuffle") && to_bool(in["shuffle"])});
  return {};
}

// ---- keras.models, keras.saving ----

Value load(const Arguments& arguments, Session& session) {
  const Reader in(arguments, {"filepath", "custom_objects", "compile", "safe_mode"});
  const bool compile = !in.given("compile") || to_bool(in["compile"]);
  return remember(session, std::make_shared<Model>(
                               load_model(to_string(in["filepath"]), {.compile = compile})));
}

const std::shared_ptr<Model>& to_model(const Value& value) {
  const auto* model = value.get<std::shared_ptr<Model>>();
  if (model == nullptr) throw Unwritable{"a model that is not a model"};
  return *model;
}

Value save(const Arguments& arguments, Session&) {
  const Reader in(arguments, {"model", "filepath", "overwrite"});
  to_model(in["model"])->save(to_string(in["filepath"]));
  return {};
}

Value clone(const Arguments& arguments, Session& session) {
  const Reader in(arguments, {"model"});
  return remember(session, std::make_shared<Model>(clone_model(*to_model(in["model"]))));
}

Value from_json_text(const Arguments& arguments, Session& session) {
  const Reader in(arguments, {"json_string", "custom_objects"});
  return remember(session, std::make_shared<Model>(model_from_json(to_string(in["json_string"]))));
}

// ---- keras.ops ----

Callable filled(double value) {
  return [value](const Arguments& arguments) -> Value {
    const Reader in(arguments, {"shape", "dtype"});
    const Tensor number(value);
    return {
        ops::full(to_shape(in["shape"]), number, to_dtype(in["dtype"]).value_or(DType::float32))};
  };
}

Value eye(const Arguments& arguments, Session&) {
  const Reader in(arguments, {"N", "M", "k", "dtype"});
  return {ops::eye(to_integer(in["N"]), to_optional_integer(in["M"]),
                   to_optional_integer(in["k"]).value_or(0))};
}

Value shape_of(const Arguments& arguments, Session&) {
  return from_shape(array_of(arguments.at(0, "x")).shape());
}

/// Operations that take functions of arrays: only wrong uses without a function are supported.
Value control_flow(const Arguments& arguments, Session&) {
  for (const Value& value : arguments.positional)
    if (value.get<Callable>() != nullptr) throw Unsupported{"functions of arrays"};
  throw Unwritable{"control flow without functions"};
}

Value custom_objects(const Arguments& arguments, Session&) {
  const Reader in(arguments, {});
  get_custom_objects();
  return {};
}

Value unchangeable(const Arguments&, Session&) {
  throw Unwritable{"a setting that cannot be changed in C++"};
}

}  // namespace

std::optional<Value> function_of_keras(const std::string& path, Session& session) {
  using Function = Value (*)(const Arguments&, Session&);
  static const std::map<std::string, Function> functions = {
      {"keras.config.set_floatx", set_floatx},
      {"keras.config.set_dtype_policy", set_dtype_policy},
      {"keras.config.set_epsilon", unchangeable},
      {"keras.utils.get_custom_objects", custom_objects},
      {"keras.saving.get_custom_objects", custom_objects},
      {"keras.config.set_image_data_format", set_image_data_format},
      {"keras.mixed_precision.set_dtype_policy", set_dtype_policy},
      {"keras.mixed_precision.set_global_policy", set_dtype_policy},
      {"keras.backend.set_floatx", set_floatx},
      {"keras.backend.clear_session", clear},
      {"keras.utils.clear_session", clear},
      {"keras.utils.to_categorical", to_categorical},
      {"keras.utils.normalize", normalize},
      {"keras.utils.pad_sequences", pad_sequences},
      {"keras.preprocessing.sequence.pad_sequences", pad_sequences},
      {"keras.utils.set_random_seed", set_seed},
      {"keras.utils.timeseries_dataset_from_array", timeseries},
      {"keras.utils.split_dataset", split_dataset},
      {"keras.models.load_model", load},
      {"keras.saving.load_model", load},
      {"keras.models.save_model", save},
      {"keras.saving.save_model", save},
      {"keras.models.clone_model", clone},
      {"keras.models.model_from_json", from_json_text},
      {"keras.ops.eye", eye},
      {"keras.ops.cond", control_flow},
      {"keras.ops.fori_loop", control_flow},
      {"keras.ops.while_loop", control_flow},
      {"keras.ops.map", control_flow},
      {"keras.ops.scan", control_flow},
      {"keras.ops.switch", control_flow},
      {"keras.ops.vectorized_map", control_flow},
      {"keras.ops.shape", shape_of},
  };
  if (const auto found = functions.find(path); found != functions.end()) {
    return Value{Callable([function = found->second, &session](const Arguments& arguments) {
      return function(arguments, session);
    })};
  }
  if (path == "keras.ops.ones") return Value{filled(1)};
  if (path == "keras.ops.zeros") return Value{filled(0)};
  if (path.starts_with("keras.ops.")) return operation(path.substr(sizeof("keras.ops.") - 1));
  return std::nullopt;
}

}  // namespace antler::conformance::python
