#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "antler/core/string_tensor.h"
#include "antler/core/tensor.h"

/// The graphs of a TensorFlow SavedModel (saved_model.proto, graph.proto, function.proto,
/// saved_object_graph.proto) as plain data, as far as they are needed to run the model.
namespace antler::io {

/// The value of a node's attribute. Only the member of the attribute's type is set.
struct TfAttribute {
  int64_t integer = 0;
  double number = 0;
  bool flag = false;
  std::string string;
  int64_t type = 0;  ///< TensorFlow's number of a dtype
  std::vector<int64_t> integers;
  std::vector<float> numbers;
  std::optional<Tensor> tensor;  ///< nullopt for strings and dtypes that tensors do not have
  std::optional<StringTensor> strings;
  std::vector<int64_t> types;  ///< TensorFlow's numbers of dtypes
  std::vector<Shape> shapes;
  std::string function;
};

struct TfNode {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;  ///< without control inputs
  std::map<std::string, TfAttribute> attributes;
};

struct TfFunction {
  std::vector<std::string> arguments;
  /// The value of each result, in order: "node:output:0", or an argument's name.
  std::vector<std::string> results;
  std::vector<TfNode> nodes;
};

/// A tree of arguments or results (struct.proto's StructuredValue).
struct TfStructure {
  enum class Kind : uint8_t { none, tensor, list, dict, literal };
  // Defined in the .cpp: inside the class, std::pair of the class is incomplete.
  TfStructure();
  TfStructure(const TfStructure&);
  TfStructure(TfStructure&&) noexcept;
  TfStructure& operator=(const TfStructure&);
  TfStructure& operator=(TfStructure&&) noexcept;
  ~TfStructure();

  Kind kind = Kind::none;
  std::string name;  ///< of a tensor
  std::optional<DType> dtype;
  Shape shape;
  std::vector<std::pair<std::string, TfStructure>> items;

  /// The tensors in order; dictionaries are sorted by key.
  std::vector<const TfStructure*> tensors() const;
};

/// A function with the objects that it captures.
struct TfConcreteFunction {
  std::vector<int64_t> captures;  ///< objects, in the order of the function's last arguments
  TfStructure inputs;             ///< (positional, by keyword)
  TfStructure outputs;
};

struct TfObject {
  enum class Kind : uint8_t { other, function, variable, constant };
  Kind kind = Kind::other;
  std::vector<std::pair<std::string, int64_t>> children;
  std::vector<std::string> functions;  ///< names of its concrete functions
  std::string name;                    ///< of a variable, or of a constant's node
  bool trainable = false;
  DType dtype = DType::float32;
  Shape shape;

  /// Index of the child of this name, or -1.
  int64_t child(std::string_view child_name) const;
};

/// An input or output of a signature: a value of the main graph.
struct TfPort {
  std::string value;           ///< "node:0"
  std::optional<DType> dtype;  ///< nullopt for strings and dtypes that tensors do not have
  int64_t type = 0;            ///< TensorFlow's number of the dtype
  Shape shape;
};

struct TfSignature {
  std::string method_name;
  std::map<std::string, TfPort> inputs;
  std::map<std::string, TfPort> outputs;
};

/// One graph of a SavedModel.
struct TfSavedModel {
  std::vector<std::string> tags;
  std::vector<TfNode> nodes;
  std::map<std::string, TfFunction> functions;
  std::map<std::string, TfSignature> signatures;
  std::vector<TfObject> objects;  ///< 0 is the root; empty for files of TensorFlow 1
  std::map<std::string, TfConcreteFunction> concrete_functions;
};

/// Parses `saved_model.pb`. Of several graphs it returns the one tagged "serve", or else the first.
/// Throws IOError for a corrupt message and for references to objects that do not exist.
TfSavedModel parse_saved_model(std::string_view message);
/// All graphs of a `saved_model.pb`.
std::vector<TfSavedModel> parse_meta_graphs(std::string_view message);

}  // namespace antler::io
