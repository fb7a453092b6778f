#pragma once

#include "antler/nn/losses/hinge.h"
#include "antler/nn/losses/probabilistic.h"
#include "antler/nn/losses/regression.h"

/// Keras's other names of loss functions.
namespace antler::losses {

// NOLINTBEGIN(readability-identifier-naming)
inline constexpr auto& mse = mean_squared_error;
inline constexpr auto& MSE = mean_squared_error;
inline constexpr auto& mae = mean_absolute_error;
inline constexpr auto& MAE = mean_absolute_error;
inline constexpr auto& mape = mean_absolute_percentage_error;
inline constexpr auto& MAPE = mean_absolute_percentage_error;
inline constexpr auto& msle = mean_squared_logarithmic_error;
inline constexpr auto& MSLE = mean_squared_logarithmic_error;
inline constexpr auto& kld = kl_divergence;
inline constexpr auto& KLD = kl_divergence;
inline constexpr auto& kullback_leibler_divergence = kl_divergence;
inline constexpr auto& logcosh = log_cosh;
// NOLINTEND(readability-identifier-naming)

}  // namespace antler::losses
