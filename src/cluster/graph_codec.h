#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "antler/core/nest.h"
#include "antler/core/tensor.h"
#include "antler/core/variable.h"

namespace antler::ir {
class Graph;
}

/// Encodes graphs and arrays as messages. Decoding validates, because messages come from other
/// processes.
namespace antler::cluster {

class Graph;
class Spec;
class Array;
class Structure;

void encode(const TensorSpec& spec, Spec& message);
/// Throws ValueError for an unknown dtype or an invalid shape.
TensorSpec decode(const Spec& message);

/// Throws NotImplementedError for ops that only make sense in this process, such as calls of host
/// functions.
void encode(const ir::Graph& graph, Graph& message);
/// `variable` returns the variable of a state. Throws ValueError for an invalid graph, and whatever
/// the ops' shape rules throw.
ir::Graph decode(const Graph& message,
                 const std::function<Variable(uint64_t id, const TensorSpec& spec)>& variable);

void encode(const Tensor& value, Array& message);
/// Throws ValueError if the bytes do not fit the shape.
Tensor decode(const Array& message);

/// Encodes the structure, dtypes and shapes of `value`.
void encode(const Nest& value, Structure& message);
/// Decodes to arrays without values. Throws ValueError for an invalid message.
Nest decode(const Structure& message);

/// Appends the elements of `value`.
void append(const Tensor& value, std::string& bytes);
/// Splits `bytes`, which holds the elements of consecutive arrays, into new arrays. Throws
/// ValueError if the size does not fit `specs`.
Tensors split_bytes(std::string_view bytes, const std::vector<TensorSpec>& specs);

}  // namespace antler::cluster
