#pragma once

/// Arguments by Keras's names: `ops::mean(x, {.axis = -1, .keepdims = true})` is
/// `ops::mean(x, -1, {.keepdims = true})`.
#include "antler/ops/by_name/arguments.h"
#include "antler/ops/by_name/convolution.h"
#include "antler/ops/by_name/image.h"
#include "antler/ops/by_name/linalg.h"
#include "antler/ops/by_name/nn.h"
#include "antler/ops/by_name/numpy.h"
#include "antler/ops/by_name/reductions.h"
