#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "antler/base/json.h"
#include "antler/nn/layer.h"
#include "nn/op_names.h"

namespace antler {

/// Arguments of a call, in order: each is a tensor, a list of tensors, or a number as a weak
/// scalar.
using OpArguments = std::vector<Nest>;

/// An operation of keras.ops, under its name in Keras's files.
struct KerasOpEntry {
  const char* class_name;
  /// `config` has the arguments of the operation's constructor in Keras ("axis", ...). If `run` is
  /// null, `function` is called.
  Nest (*run)(const OpArguments& arguments, const Json& config);
  /// The submodule of keras.src.ops that defines the operation.
  const char* module = "numpy";
  OpNames::Function function = {};

  Nest call(const OpArguments& arguments, const Json& config) const;
};

// Operations that consist of several ops, one file per family. The others are in op_names().
std::span<const KerasOpEntry> elementwise_keras_ops();
std::span<const KerasOpEntry> shape_keras_ops();
std::span<const KerasOpEntry> numeric_keras_ops();
std::span<const KerasOpEntry> numpy_keras_ops();
std::span<const KerasOpEntry> statistics_keras_ops();
std::span<const KerasOpEntry> linalg_keras_ops();
std::span<const KerasOpEntry> neural_keras_ops();
std::span<const KerasOpEntry> image_keras_ops();

/// Name of the call argument that contains the key of `x[key]`.
inline constexpr const char* kStaticArgument = "key";

/// A call of keras.ops, such as `x + 1`, as a node of a functional model.
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

/// Makes the operation with this class name in keras.ops ("Add"). Throws NotImplementedError for an
/// unsupported one.
LayerPtr keras_op_from_config(const std::string& class_name, const Json& config);
/// The module in Keras that defines the operation with this class name: "keras.src.ops.numpy".
std::string keras_op_module(std::string_view class_name);
/// Whether a node of a graph is an operation; Keras does not count these as layers.
bool is_operation(const Layer& layer);

}  // namespace antler
