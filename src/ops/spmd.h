#pragma once

#include "antler/ir/op_def.h"

namespace antler::ops {

/// spmd {replicas, varying_inputs, varying_outputs}: one program that all replicas run, each on a
/// device of its own. Region 0 is the program of a replica; its collectives connect the replicas.
/// Region 1, which only an executor on several devices does without, computes all replicas on one.
///
/// The first `varying_inputs` inputs of region 0 have a value per replica, the others are shared:
/// operands are the values of replica 0, those of replica 1 and so on, then the shared ones.
/// Results are alike. An executor that gives each device its own operands moves inputs that vary to
/// the front and sets {local_inputs}: they have one operand each.
///
/// Region 1 has inputs for the operands and outputs for the results.
///
/// Not in the list of ops: graphs with it stay in the process that made them. It has no gradient.
extern const ir::OpDef kSpmd;

}  // namespace antler::ops
