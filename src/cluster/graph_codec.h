#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/core/variable.h"

namespace antler::ir {
class Graph;
}

/// Graphs and arrays as messages. What is decoded comes from other processes, so it is checked.
namespace antler::cluster {

class Graph;
class Array;

/// Throws NotImplementedError for ops that only mean something in this process, such as calls of
/// its functions.
void encode(const ir::Graph& graph, Graph& message);
/// `variable` gives the variable of a state. Throws ValueError for a message that is not a valid
/// graph, and what the ops' shape rules throw.
ir::Graph decode(const Graph& message,
                 const std::function<Variable(uint64_t id, const TensorSpec& spec)>& variable);

void encode(const Tensor& value, Array& message);
/// Throws ValueError if the bytes do not fit the shape.
Tensor decode(const Array& message);

/// Appends the elements of `value`.
void append(const Tensor& value, std::string& bytes);
/// New arrays of the elements in `bytes`, one behind the other. Throws ValueError if they have
/// another size.
Tensors split_bytes(std::string_view bytes, const std::vector<TensorSpec>& specs);

}  // namespace antler::cluster
