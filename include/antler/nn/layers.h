#pragma once

#include "antler/nn/layer.h"
#include "antler/nn/layer_handle.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/core.h"
#include "antler/nn/layers/input.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/layers/normalization.h"
#include "antler/nn/layers/pooling.h"
#include "antler/nn/layers/preprocessing.h"
#include "antler/nn/layers/regularization.h"
#include "antler/nn/layers/reshaping.h"
