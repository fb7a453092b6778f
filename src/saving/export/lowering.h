#pragma once

#include <string>
#include <vector>

#include "saving/export/batch_graph.h"

namespace antler::saving {

/// Writes a graph to a sink. Throws a NotImplementedError that names the op if it cannot be
/// expressed.
void lower(const BatchGraph& graph, const std::vector<std::string>& input_names,
           const std::vector<std::string>& output_names, GraphSink& sink);

}  // namespace antler::saving
