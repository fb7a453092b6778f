#pragma once

#include "io/proto_text.h"

/// The messages of TensorFlow's graphs (graph.proto, meta_graph.proto, saved_model.proto), as far
/// as Antler writes them.
namespace antler::io {

extern const ProtoMessage kGraphDefMessage;
extern const ProtoMessage kSavedModelMessage;

}  // namespace antler::io
