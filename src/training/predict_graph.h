#pragma once

#include <cstdint>

#include "antler/ir/graph.h"
#include "antler/training/model.h"

namespace antler::training {

/// Throws ValueError unless the model is built and has inputs of known shapes.
void require_exportable(const Model& model);

/// The graph of predict() for this batch size; its states are the weights. Throws ValueError if
/// another dimension of an input is unknown.
ir::Graph trace_predict(const Model& model, int64_t batch);

}  // namespace antler::training
