#pragma once

#include "antler/ir/op_def.h"

namespace antler::ops {

/// spmd {replicas, varying_inputs, varying_outputs}: one program that every replica runs on its own
/// device. Region 0 is the program of one replica; its collectives connect the replicas. Region 1
/// computes all replicas on one device. Only an executor on several devices can do without it.
///
/// The first `varying_inputs` inputs of region 0 have one value per replica, and the replicas share
/// the others. The operands are the varying values of replica 0, then those of replica 1 and so on,
/// then the shared values. The results have the same order. An executor that gives each device its
/// own operands moves varying inputs to the front and sets {local_inputs}, the number of inputs
/// with only one operand each.
///
/// Region 1 has one input per operand and one output per result.
///
/// Not in the list of ops: graphs with it stay in the process that made them. It has no gradient.
extern const ir::OpDef kSpmd;

}  // namespace antler::ops
