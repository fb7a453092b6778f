#pragma once

#include "antler/ir/op_def.h"

/// Primitives of core/ and numpy/ that create and move elements.
namespace antler::ops {

extern const ir::OpDef kIota;
extern const ir::OpDef kBroadcast;
extern const ir::OpDef kReshape;
extern const ir::OpDef kTranspose;
extern const ir::OpDef kReverse;
extern const ir::OpDef kSlice;
extern const ir::OpDef kDynamicSlice;
extern const ir::OpDef kDynamicUpdateSlice;
extern const ir::OpDef kPad;
extern const ir::OpDef kConcatenate;
extern const ir::OpDef kGather;
extern const ir::OpDef kGatherNd;
extern const ir::OpDef kScatter;
extern const ir::OpDef kScatterNd;

}  // namespace antler::ops
