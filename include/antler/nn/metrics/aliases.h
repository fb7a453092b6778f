#pragma once

#include "antler/nn/losses/aliases.h"

/// Loss functions that Keras also has as metrics: values per sample, whose mean is the metric.
namespace antler::metrics {

using losses::binary_crossentropy;
using losses::binary_focal_crossentropy;
using losses::categorical_crossentropy;
using losses::categorical_focal_crossentropy;
using losses::categorical_hinge;
using losses::hinge;
using losses::huber;
using losses::kl_divergence;
using losses::KLD;
using losses::kld;
using losses::kullback_leibler_divergence;
using losses::log_cosh;
using losses::logcosh;
using losses::MAE;
using losses::mae;
using losses::MAPE;
using losses::mape;
using losses::mean_absolute_error;
using losses::mean_absolute_percentage_error;
using losses::mean_squared_error;
using losses::mean_squared_logarithmic_error;
using losses::MSE;
using losses::mse;
using losses::MSLE;
using losses::msle;
using losses::poisson;
using losses::sparse_categorical_crossentropy;
using losses::squared_hinge;

}  // namespace antler::metrics
