#pragma once

/// All operations.
#include "antler/ops/control_flow.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "antler/ops/nn.h"
#include "antler/ops/random.h"
#include "antler/ops/reduce.h"
#include "antler/ops/shape.h"
