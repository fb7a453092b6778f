#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "antler/base/json.h"
#include "antler/nn/layer.h"
#include "nn/op_names.h"

namespace antler {

/// Arguments of a call, in order: a tensor each, a list of tensors, or numbers as weak scalars.
using OpArguments = std::vector<Nest>;

/// One operation of keras.ops, as Keras's files name it.
struct KerasOpEntry {
  const char* class_name;
  /// `config` holds the arguments of the operation's constructor in Keras ("axis", ...). If null,
  /// `function` runs.
  Nest (*run)(const OpArguments& arguments, const Json& config);
  /// The submodule of keras.src.ops that defines it in Keras.
  const char* module = "numpy";
  OpNames::Function function = {};

  Nest call(const OpArguments& arguments, const Json& config) const;
};

// Operations that are more than one op (the others are in op_names()), a file per family.
std::span<const KerasOpEntry> elementwise_keras_ops();
std::span<const KerasOpEntry> shape_keras_ops();
std::span<const KerasOpEntry> numeric_keras_ops();
std::span<const KerasOpEntry> numpy_keras_ops();
std::span<const KerasOpEntry> statistics_keras_ops();
std::span<const KerasOpEntry> linalg_keras_ops();
std::span<const KerasOpEntry> neural_keras_ops();
std::span<const KerasOpEntry> image_keras_ops();

/// Name of the argument of a call that holds the key of `x[key]`.
inline constexpr const char* kStaticArgument = "key";

/// A node of a functional model that is a call of keras.ops, such as `x + 1`, rather than a layer.
class KerasOp final : public LayerBase<KerasOp> {
 public:
  KerasOp(const KerasOpEntry& entry, const Json& config);

  /// Runs the operation on a list of arguments. An argument that is neither a tensor nor a number
  /// (the key of `x[key]`) is in `options` as the JSON string kStaticArgument, and becomes part of
  /// the configuration.
  Nest call(const Nest& arguments, const CallOptions& options) override;
  Json get_config() const override;

 private:
  const KerasOpEntry* entry_;
  std::shared_ptr<const Json> config_;
};

/// The operation with this class name in keras.ops ("Add"). Throws NotImplementedError for an
/// unsupported one.
LayerPtr keras_op_from_config(const std::string& class_name, const Json& config);
/// The module in Keras of the operation with this class name: "keras.src.ops.numpy".
std::string keras_op_module(std::string_view class_name);
/// Whether a node of a graph is an operation; Keras does not count these as layers.
bool is_operation(const Layer& layer);

}  // namespace antler
