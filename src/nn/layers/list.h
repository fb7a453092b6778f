#pragma once

#include "antler/nn/layer.h"

/// The factories of the list in registry.cpp; each stands next to its layer. They throw ValueError
/// for fields that the layer does not have.
namespace antler {

LayerPtr input_layer_from_config(const Json& config);
LayerPtr dense_from_config(const Json& config);
LayerPtr embedding_from_config(const Json& config);
LayerPtr activation_from_config(const Json& config);
LayerPtr re_lu_from_config(const Json& config);
LayerPtr softmax_from_config(const Json& config);
LayerPtr conv1d_from_config(const Json& config);
LayerPtr conv2d_from_config(const Json& config);
LayerPtr conv3d_from_config(const Json& config);
LayerPtr max_pooling1d_from_config(const Json& config);
LayerPtr max_pooling2d_from_config(const Json& config);
LayerPtr max_pooling3d_from_config(const Json& config);
LayerPtr average_pooling1d_from_config(const Json& config);
LayerPtr average_pooling2d_from_config(const Json& config);
LayerPtr average_pooling3d_from_config(const Json& config);
LayerPtr global_max_pooling1d_from_config(const Json& config);
LayerPtr global_max_pooling2d_from_config(const Json& config);
LayerPtr global_max_pooling3d_from_config(const Json& config);
LayerPtr global_average_pooling1d_from_config(const Json& config);
LayerPtr global_average_pooling2d_from_config(const Json& config);
LayerPtr global_average_pooling3d_from_config(const Json& config);
LayerPtr flatten_from_config(const Json& config);
LayerPtr reshape_from_config(const Json& config);
LayerPtr dropout_from_config(const Json& config);
LayerPtr batch_normalization_from_config(const Json& config);
LayerPtr layer_normalization_from_config(const Json& config);
LayerPtr rescaling_from_config(const Json& config);
LayerPtr add_from_config(const Json& config);
LayerPtr subtract_from_config(const Json& config);
LayerPtr multiply_from_config(const Json& config);
LayerPtr average_from_config(const Json& config);
LayerPtr maximum_from_config(const Json& config);
LayerPtr minimum_from_config(const Json& config);
LayerPtr concatenate_from_config(const Json& config);
LayerPtr simple_rnn_cell_from_config(const Json& config);
LayerPtr lstm_cell_from_config(const Json& config);
LayerPtr gru_cell_from_config(const Json& config);
LayerPtr stacked_rnn_cells_from_config(const Json& config);
LayerPtr rnn_from_config(const Json& config);
LayerPtr simple_rnn_from_config(const Json& config);
LayerPtr lstm_from_config(const Json& config);
LayerPtr gru_from_config(const Json& config);
LayerPtr conv_lstm1d_from_config(const Json& config);
LayerPtr conv_lstm2d_from_config(const Json& config);
LayerPtr conv_lstm3d_from_config(const Json& config);
LayerPtr time_distributed_from_config(const Json& config);
LayerPtr bidirectional_from_config(const Json& config);
LayerPtr attention_from_config(const Json& config);
LayerPtr additive_attention_from_config(const Json& config);
LayerPtr multi_head_attention_from_config(const Json& config);
LayerPtr group_query_attention_from_config(const Json& config);

}  // namespace antler
