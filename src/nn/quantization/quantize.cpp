#include "antler/nn/quantize.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/nn/quantizable.h"
#include "base/regex.h"
#include "nn/leaf_layers.h"
#include "nn/quantization/layer_kernel.h"
#include "nn/quantization/quantize_blocks.h"

namespace antler {
namespace {

std::vector<Regex> compiled(const std::vector<std::string>& filters) {
  std::vector<Regex> expressions;
  for (const std::string& filter : filters)
    expressions.emplace_back(filter, "quantize: the filter");
  return expressions;
}

}  // namespace

int64_t quantize(const Layer& model, const std::string& mode, const QuantizeOptions& options) {
  return quantize(model, QuantizationConfig(mode), options);
}

int64_t quantize(const Layer& model, const QuantizationConfig& config,
                 const QuantizeOptions& options) {
  const std::vector<Regex> expressions = compiled(options.filters);
  const auto wanted = [&](const Layer& layer) {
    if (options.filter) return options.filter(layer);
    return expressions.empty() ||
           std::any_of(expressions.begin(), expressions.end(),
                       [&](const Regex& expression) { return expression.search(layer.name()); });
  };
  if (config.needs_inputs()) return quantize_blocks(model, config, wanted);
  std::set<const LayerState*> seen;
  std::vector<LayerPtr> all;
  append_leaf_layers(model.share(), seen, all);
  std::vector<Quantizable*> chosen;
  for (const LayerPtr& layer : all) {
    if (!wanted(*layer)) continue;
    auto* quantizable = dynamic_cast<Quantizable*>(layer.get());
    if (quantizable != nullptr && quantizable->can_quantize(config.mode)) {
      check_quantize(*layer, config);
      chosen.push_back(quantizable);
    } else if (!layer->weights().empty()) {
      logging::warning(
          format("Layer \"{}\" (class {}) cannot be quantized to {} and stays as it is.",
                 layer->name(), layer->class_name(), config.mode));
    }
  }
  for (Quantizable* layer : chosen) layer->quantize(config);
  return static_cast<int64_t>(chosen.size());
}

}  // namespace antler
