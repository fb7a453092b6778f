#pragma once

#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "antler/nn/dtype_policy.h"
#include "antler/nn/loss.h"
#include "base/type_name.h"
#include "nn/config_fields.h"
#include "nn/object_registry.h"

namespace antler {

template <class V>
void fields(V& v, LossOptions& o) {
  v("name", o.name);
  v("reduction", o.reduction);
}

}  // namespace antler

/// The classes of the losses. Each source file ends with its family; loss_list.cpp joins the
/// families.
namespace antler::losses {

struct LossClass : ObjectClass<Loss> {
  /// The function with the first alias as its name, if it has no parameters of its own.
  Tensor (*function)(const Tensor& y_true, const Tensor& y_pred) = nullptr;
};
using Losses = Registry<Loss, LossClass>;

template <class L, class Options>
Loss from_config(const Json& config) {
  Json given = config;
  given.erase("fn");  // written by Keras 2, but never read
  // Keras writes the reduction "none" as null.
  if (given.contains("reduction") && given["reduction"].is_null()) given["reduction"] = "none";
  // Keras takes a dtype, but does not write it.
  const Json dtype = given.contains("dtype") ? given["dtype"] : Json();
  given.erase("dtype");
  auto options = config::read<Options>(given);
  if (!dtype.is_null()) options.dtype = DTypePolicy::deserialize(dtype).text();
  return L(options);
}

/// A loss of class L, made from `Options`. `aliases` are Keras's names of its function.
template <class L, class Options>
LossClass loss_class(const std::array<std::string_view, 6>& aliases,
                     decltype(LossClass::function) function = nullptr) {
  return {{type_name<L>(), from_config<L, Options>, aliases}, function};
}

/// The fields at the end of every options struct.
template <class Options>
LossOptions base_options(const Options& options) {
  return {.reduction = options.reduction, .name = options.name, .dtype = options.dtype};
}

/// The name that Python gives to an unnamed function.
inline constexpr std::string_view kUnnamed = "<lambda>";
/// Keras's name of a loss function of the library ("mean_squared_error"); empty for others.
std::string function_name(const Function& function);

Losses::Family regression_losses();
Losses::Family probabilistic_losses();
Losses::Family hinge_losses();
Losses::Family segmentation_losses();
Losses::Family sequence_losses();
Losses::Family metric_learning_losses();

}  // namespace antler::losses
