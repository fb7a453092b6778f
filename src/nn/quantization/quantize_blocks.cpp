#include "nn/quantization/quantize_blocks.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/ir/emit.h"
#include "antler/nn/calibration_config.h"
#include "antler/nn/quantizable.h"
#include "antler/ops/shape.h"
#include "nn/leaf_layers.h"
#include "nn/quantization/adaptable_kernel.h"
#include "nn/quantizers/calibration_data.h"

namespace antler {
namespace {

/// While it lives, models call their layers one by one with values, instead of a program of all.
class LayerByLayer : public ir::OpObserver {
 public:
  LayerByLayer() { ir::add_op_observer(this); }
  ~LayerByLayer() override { ir::remove_op_observer(this); }
  LayerByLayer(const LayerByLayer&) = delete;
  LayerByLayer& operator=(const LayerByLayer&) = delete;
  void on_op(const ir::OpDef&, std::span<const Tensor>, std::span<const Tensor>, const ir::Attrs&,
             const ir::Regions&) override {}
};

/// A layer whose inputs are watched while it lives.
class WatchedLayer {
 public:
  WatchedLayer(LayerPtr layer, bool moments)
      : layer_(std::move(layer)),
        quantizable_(dynamic_cast<Quantizable&>(*layer_)),
        kernel_(*quantizable_.adaptable_kernel()) {
    kernel_.inputs_seen = std::make_shared<InputStatistics>(kernel_.calibrated.inputs, moments);
  }
  WatchedLayer(WatchedLayer&& other) noexcept = default;
  WatchedLayer& operator=(WatchedLayer&&) = delete;
  WatchedLayer(const WatchedLayer&) = delete;
  WatchedLayer& operator=(const WatchedLayer&) = delete;
  ~WatchedLayer() {
    if (layer_ != nullptr) kernel_.inputs_seen.reset();
  }
  void quantize(const QuantizationConfig& config) { quantizable_.quantize(config); }

 private:
  LayerPtr layer_;
  Quantizable& quantizable_;
  AdaptableKernel& kernel_;
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
    throw ValueError("For mode='" + mode +
                     "', a valid quantization structure must be provided either via "
                     "`config.quantization_layer_structure` or by overriding "
                     "`model.get_quantization_layer_structure(mode)`. The structure should be a "
                     "dictionary with keys 'pre_block_layers' and 'sequential_blocks'.");
  }
  if (structure->sequential_blocks.empty()) {
    throw ValueError("No sequential blocks found in the provided structure to quantize.");
  }
  return {*structure, calibration_sequences(config.dataset, config.tokenizer, config.num_samples,
                                            config.sequence_length)};
}

/// The first output, with a batch in front of what is a matrix.
Tensor first_output(Layer& layer, const Tensor& input) {
  const Nest outputs = layer(Nest(input));
  return outputs.flatten().at(0);
}

Tensor with_batch(const Tensor& x) { return x.rank() == 2 ? ops::expand_dims(x, 0) : x; }

bool can_calibrate(const LayerPtr& layer, const std::string& mode) {
  auto* quantizable = dynamic_cast<Quantizable*>(layer.get());
  return quantizable != nullptr && quantizable->can_quantize(mode) &&
         quantizable->adaptable_kernel() != nullptr;
}

/// The layers that are quantized, block by block; each in the first block that has it.
std::vector<std::vector<LayerPtr>> chosen_layers(const QuantizationLayerStructure& structure,
                                                 const QuantizationConfig& config,
                                                 const std::function<bool(const Layer&)>& wanted) {
  std::set<const LayerState*> seen;
  std::vector<std::vector<LayerPtr>> chosen;
  for (const LayerPtr& block : structure.sequential_blocks) {
    std::vector<LayerPtr> leaves;
    append_leaf_layers(block, seen, leaves);
    std::erase_if(leaves, [&](const LayerPtr& layer) {
      return !can_calibrate(layer, config.mode) || !wanted(*layer);
    });
    for (const LayerPtr& layer : leaves) check_quantize(*layer, config);
    chosen.push_back(std::move(leaves));
  }
  return chosen;
}

void warn_of_others(const Layer& model, const std::vector<std::vector<LayerPtr>>& chosen,
                    const QuantizationConfig& config,
                    const std::function<bool(const Layer&)>& wanted) {
  std::set<const LayerState*> seen;
  for (const auto& layers : chosen) {
    for (const LayerPtr& layer : layers) seen.insert(layer->state().get());
  }
  std::vector<LayerPtr> others;
  append_leaf_layers(model.share(), seen, others);
  for (const LayerPtr& layer : others) {
    if (layer->weights().empty() || !wanted(*layer)) continue;
    logging::warning("Layer \"" + layer->name() + "\" (class " + layer->class_name() +
                     (can_calibrate(layer, config.mode)
                          ? ") is in none of the blocks"
                          : ") cannot be quantized to " + config.mode) +
                     " and stays as it is.");
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

/// What a layer keeps: how it was quantized. The structure names the layer itself, which would
/// never be freed.
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
    std::vector<WatchedLayer> watched;
    watched.reserve(chosen[b].size());
    for (const LayerPtr& layer : chosen[b]) {
      watched.emplace_back(layer, config.gptq != nullptr);
    }
    for (const Tensor& input : calibration.inputs) {
      if (!watched.empty()) first_output(block, with_batch(input));
    }
    for (WatchedLayer& layer : watched) layer.quantize(kept);
    quantized += static_cast<int64_t>(watched.size());
    watched.clear();
    if (b + 1 == chosen.size()) break;
    for (Tensor& input : calibration.inputs) input = first_output(block, with_batch(input));
  }
  return quantized;
}

}  // namespace antler
