#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "antler/nn/loss.h"
#include "nn/config_fields.h"

namespace antler {

template <class V>
void fields(V& v, LossOptions& o) {
  v("name", o.name);
  v("reduction", o.reduction);
}

}  // namespace antler

/// What the files of the losses show the list. Every family ends with one span of entries;
/// loss_list.cpp joins the spans.
namespace antler::losses {

struct LossEntry {
  std::string_view class_name;
  /// Function name, then aliases; empty texts fill up.
  std::array<std::string_view, 6> names;
  Loss (*make)(const Json& config);
  /// The function of the first name, where it has no parameters of its own.
  Tensor (*function)(const Tensor& y_true, const Tensor& y_pred) = nullptr;
};
using LossSpan = std::span<const LossEntry>;

/// Makes a loss of class L from its configuration.
template <class L, class Options>
Loss from_config(const Json& config) {
  Json given = config;
  given.erase("fn");  // what Keras 2 writes and nobody needs
  return L(config::read<Options>(given));
}

/// Every options struct ends with these two.
template <class Options>
LossOptions base_options(const Options& options) {
  return {.reduction = options.reduction, .name = options.name};
}

/// Python's name of a function without a name.
inline constexpr std::string_view kUnnamed = "<lambda>";
/// Keras's name of one of the library's loss functions ("mean_squared_error"); empty for others.
std::string function_name(const Function& function);

LossSpan regression_losses();
LossSpan probabilistic_losses();
LossSpan hinge_losses();
LossSpan segmentation_losses();
LossSpan sequence_losses();
LossSpan metric_learning_losses();

}  // namespace antler::losses
