#pragma once

#include "antler/nn/calibration_config.h"
#include "nn/config_fields.h"

/// The fields of configs that contain data. Files contain all fields except the data.
namespace antler {

template <class V>
void fields(V& v, GPTQConfig& o) {
  v.constant("dataset", nullptr);
  v.constant("tokenizer", nullptr);
  v("weight_bits", o.weight_bits);
  v("num_samples", o.num_samples);
  v("per_channel", o.per_channel);
  v("sequence_length", o.sequence_length);
  v("hessian_damping", o.hessian_damping);
  v("group_size", o.group_size);
  v("symmetric", o.symmetric);
  v("activation_order", o.activation_order);
  v.constant("quantization_layer_structure", nullptr);
}

template <class V>
void fields(V& v, AWQConfig& o) {
  v.constant("dataset", nullptr);
  v.constant("tokenizer", nullptr);
  v("weight_bits", o.weight_bits);
  v("num_samples", o.num_samples);
  v("sequence_length", o.sequence_length);
  v("group_size", o.group_size);
  v("num_grid_points", o.num_grid_points);
  v.constant("quantization_layer_structure", nullptr);
}

}  // namespace antler
