#pragma once

#include <string>

#include "distribute/replica_merge.h"

namespace antler::distribute {

/// Whether two literals have the same elements.
bool is_same_literal(const Tensor& a, const Tensor& b);

/// How the graph of one replica differs from that of another: "node 17, `slice`: attributes
/// differ". Empty if values with the same number are computed in the same way in both graphs, from
/// arguments, captures and constants whose elements may differ.
std::string trace_difference(const ReplicaTrace& a, const ReplicaTrace& b);

}  // namespace antler::distribute
