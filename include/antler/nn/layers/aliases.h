#pragma once

#include "antler/nn/layers/attention.h"
#include "antler/nn/layers/convolution.h"
#include "antler/nn/layers/pooling.h"
#include "antler/nn/layers/rnn_cells.h"

/// Keras's other names of layers.
namespace antler {

/// The base of custom cells.
using AbstractRNNCell = RNNCell;
using AvgPool1D = AveragePooling1D;
using AvgPool2D = AveragePooling2D;
using AvgPool3D = AveragePooling3D;
using Convolution1D = Conv1D;
using Convolution1DTranspose = Conv1DTranspose;
using Convolution2D = Conv2D;
using Convolution2DTranspose = Conv2DTranspose;
using Convolution3D = Conv3D;
using Convolution3DTranspose = Conv3DTranspose;
using GlobalAvgPool1D = GlobalAveragePooling1D;
using GlobalAvgPool2D = GlobalAveragePooling2D;
using GlobalAvgPool3D = GlobalAveragePooling3D;
using GlobalMaxPool1D = GlobalMaxPooling1D;
using GlobalMaxPool2D = GlobalMaxPooling2D;
using GlobalMaxPool3D = GlobalMaxPooling3D;
using GroupedQueryAttention = GroupQueryAttention;
using MaxPool1D = MaxPooling1D;
using MaxPool2D = MaxPooling2D;
using MaxPool3D = MaxPooling3D;
using SeparableConvolution1D = SeparableConv1D;
using SeparableConvolution2D = SeparableConv2D;

}  // namespace antler
