#pragma once

#include <map>
#include <string>
#include <vector>

#include "antler/core/variable.h"
#include "io/wire.h"
#include "saving/export/tf_function_def.h"
#include "saving/export/tf_sink.h"

namespace antler::saving {

/// An argument or a result of a TensorFlow function.
struct TfPort {
  std::string name;
  int64_t type = 0;  ///< TensorFlow's number of the dtype
  Dims dims;
};

/// What the callers of a TensorFlow 2 function need to know about it.
struct TfFunction {
  std::string name;  ///< in the library of the graph
  std::vector<TfPort> inputs;
  std::vector<TfPort> outputs;
  std::vector<Variable> variables;  ///< their handles are the last arguments
};

/// Writes a TensorFlow 2 function.
class FunctionSink final : public TfSink {
 public:
  explicit FunctionSink(const std::string& name)
      : TfSink(/*has_strings=*/false, TfGraphWriter::Kind::function), function_{name, {}, {}, {}} {}

  SinkValue input(const std::string& name, DType dtype, const Dims& dims) override;
  SinkValue variable(const Variable& variable) override;
  void assign(const Variable& variable, const SinkValue& value) override;
  void output(const std::string& name, const SinkValue& x, const Dims& dims) override;

  const TfFunction& function() const { return function_; }
  /// The FunctionDef message.
  io::WireWriter message() const { return def_.message(function_.name); }

 protected:
  SinkValue weight(const std::string& name, const Tensor& value) override;

 private:
  /// The argument with a variable's handle.
  const std::string& handle_of(const Variable& variable);

  TfFunction function_;
  TfFunctionDef def_{graph()};
  std::map<uint64_t, std::string> handles_;  ///< by id of the variable
  std::map<uint64_t, SinkValue> reads_;
};

/// The attributes of a call: its dtypes, and the function that it calls.
TfAttributes call_attributes(const TfFunction& function);

}  // namespace antler::saving
