#include "nn/quantization/quantize_blocks.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/ir/emit.h"
#include "antler/nn/calibration_config.h"
#include "antler/nn/kernel_layer.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/leaf_layers.h"
#include "nn/quantization/layer_kernel.h"
#include "nn/quantizers/calibration_data.h"

namespace antler {
namespace {

/// During its lifetime, models call their layers one by one instead of as one program.
class LayerByLayer : public ir::OpObserver {
 public:
  LayerByLayer() { ir::add_op_observer(this); }
  ~LayerByLayer() override { ir::remove_op_observer(this); }
  LayerByLayer(const LayerByLayer&) = delete;
  LayerByLayer& operator=(const LayerByLayer&) = delete;
  void on_op(const ir::OpDef&, std::span<const Tensor>, std::span<const Tensor>, const ir::Attrs&,
             const ir::Regions&) override {}
};

struct Calibration {
  QuantizationLayerStructure structure;
  Tensors inputs;  ///< of the next block
};

template <class Config>
Calibration calibration_of(const Layer& model, const std::string& mode, const Config& config) {
  const auto* knows = dynamic_cast<const HasQuantizationBlocks*>(&model);
  std::optional<QuantizationLayerStructure> structure = config.quantization_layer_structure;
  if (!structure && knows != nullptr) structure = knows->get_quantization_layer_structure(mode);
  if (!structure) {
    throw ValueError(
        "For mode='{}', a valid quantization structure must be provided either via "
        "`config.quantization_layer_structure` or by overriding "
        "`model.get_quantization_layer_structure(mode)`. The structure should be a dictionary with "
        "keys 'pre_block_layers' and 'sequential_blocks'.",
        mode);
  }
  if (structure->sequential_blocks.empty()) {
    throw ValueError("No sequential blocks found in the provided structure to quantize.");
  }
  return {*structure, calibration_sequences(config.dataset, config.tokenizer, config.num_samples,
                                            config.sequence_length)};
}

/// The first output of a layer.
Tensor first_output(Layer& layer, const Tensor& input) {
  const Nest outputs = layer(Nest(input));
  return outputs.flatten().at(0);
}

Tensor with_batch(const Tensor& x) { return x.rank() == 2 ? ops::expand_dims(x, 0) : x; }

using QuantizablePtr = std::shared_ptr<QuantizableLayer>;

/// The layer if it can be quantized using statistics of its inputs, else null.
QuantizablePtr calibratable(const LayerPtr& layer, const std::string& mode) {
  auto quantizable = std::dynamic_pointer_cast<QuantizableLayer>(layer);
  return quantizable != nullptr && quantizable->can_quantize(mode) ? quantizable : nullptr;
}

/// The layers to quantize, by block; a layer belongs to the first block that contains it.
std::vector<std::vector<QuantizablePtr>> chosen_layers(
    const QuantizationLayerStructure& structure, const QuantizationConfig& config,
    const std::function<bool(const Layer&)>& wanted) {
  std::set<const LayerState*> seen;
  std::vector<std::vector<QuantizablePtr>> chosen;
  for (const LayerPtr& block : structure.sequential_blocks) {
    std::vector<LayerPtr> leaves;
    append_leaf_layers(block, seen, leaves);
    std::vector<QuantizablePtr>& layers = chosen.emplace_back();
    for (const LayerPtr& leaf : leaves) {
      const QuantizablePtr layer = calibratable(leaf, config.mode);
      if (layer == nullptr || !wanted(*layer)) continue;
      check_quantize(*layer, config);
      layers.push_back(layer);
    }
  }
  return chosen;
}

void warn_of_others(const Layer& model, const std::vector<std::vector<QuantizablePtr>>& chosen,
                    const QuantizationConfig& config,
                    const std::function<bool(const Layer&)>& wanted) {
  std::set<const LayerState*> seen;
  for (const auto& layers : chosen) {
    for (const QuantizablePtr& layer : layers) seen.insert(layer->state().get());
  }
  std::vector<LayerPtr> others;
  append_leaf_layers(model.share(), seen, others);
  for (const LayerPtr& layer : others) {
    if (layer->weights().empty() || !wanted(*layer)) continue;
    const std::string reason = calibratable(layer, config.mode) != nullptr
                                   ? "is in none of the blocks"
                                   : "cannot be quantized to " + config.mode;
    logging::warning(format("Layer \"{}\" (class {}) {} and stays as it is.", layer->name(),
                            layer->class_name(), reason));
  }
}

template <class Config>
std::shared_ptr<const Config> without_data(const std::shared_ptr<const Config>& config) {
  if (config == nullptr) return nullptr;
  auto bare = std::make_shared<Config>(*config);
  bare->dataset = {};
  bare->tokenizer = {};
  bare->quantization_layer_structure = {};
  return bare;
}

/// The config that a layer keeps. It must not contain the structure, which refers to the layer and
/// would keep it alive forever.
QuantizationConfig kept_by_layers(QuantizationConfig config) {
  config.gptq = without_data(config.gptq);
  config.awq = without_data(config.awq);
  return config;
}

}  // namespace

int64_t quantize_blocks(const Layer& model, const QuantizationConfig& config,
                        const std::function<bool(const Layer&)>& wanted) {
  const LayerByLayer scope;
  Calibration calibration = config.gptq != nullptr
                                ? calibration_of(model, config.mode, *config.gptq)
                                : calibration_of(model, config.mode, *config.awq);
  const auto chosen = chosen_layers(calibration.structure, config, wanted);
  warn_of_others(model, chosen, config, wanted);
  for (Tensor& input : calibration.inputs) {
    for (const LayerPtr& layer : calibration.structure.pre_block_layers) {
      input = first_output(*layer, input);
    }
  }
  const QuantizationConfig kept = kept_by_layers(config);
  int64_t quantized = 0;
  for (size_t b = 0; b < chosen.size(); ++b) {
    Layer& block = *calibration.structure.sequential_blocks[b];
    std::vector<std::shared_ptr<InputStatistics>> watched;
    for (const QuantizablePtr& layer : chosen[b]) {
      watched.push_back(layer->layer_kernel().watch_inputs(config.gptq != nullptr));
    }
    for (const Tensor& input : calibration.inputs) {
      if (!watched.empty()) first_output(block, with_batch(input));
    }
    for (const QuantizablePtr& layer : chosen[b]) layer->quantize(kept);
    quantized += static_cast<int64_t>(watched.size());
    watched.clear();
    if (b + 1 == chosen.size()) break;
    for (Tensor& input : calibration.inputs) input = first_output(block, with_batch(input));
  }
  return quantized;
}

}  // namespace antler
