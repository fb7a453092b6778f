#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "antler/core/tensor.h"

namespace antler {

class Layer;

/// Strings, or arrays of token ids of any shape, that are representative of the inputs of a model.
using CalibrationData = std::variant<std::vector<std::string>, Tensors>;
/// The token ids of a text, integers of any shape.
using Tokenizer = std::function<Tensor(const std::string& text)>;

/// The path of data through a model: token ids [1, length] pass the first layers (such as an
/// embedding), then the blocks. Dense and EinsumDense layers in the blocks are quantized one block
/// after another, so that each block sees the outputs of the quantized blocks before it.
struct QuantizationLayerStructure {
  std::vector<std::shared_ptr<Layer>> pre_block_layers = {};
  std::vector<std::shared_ptr<Layer>> sequential_blocks = {};
};

/// Keras's GPTQConfig (Frantar et al. 2022): the columns of a kernel are rounded one after another,
/// and later columns compensate for the errors, using second moments of the inputs.
struct GPTQConfig {
  CalibrationData dataset = {};   ///< required
  Tokenizer tokenizer = {};       ///< not needed for token ids
  int64_t weight_bits = 4;        ///< 2, 3, 4 (two numbers in a byte) or 8
  int64_t num_samples = 128;      ///< number of sequences
  bool per_channel = true;        ///< false: all outputs share a scale
  int64_t sequence_length = 512;  ///< tokens per sequence
  double hessian_damping = 0.01;  ///< fraction of the mean second moment
  int64_t group_size = 128;       ///< inputs that share a scale; -1: all
  bool symmetric = false;         ///< the zero point is the middle of the range
  bool activation_order = false;  ///< round inputs with large second moments first
  /// Default: the model's get_quantization_layer_structure().
  std::optional<QuantizationLayerStructure> quantization_layer_structure = {};
};

/// Keras's AWQConfig (Lin et al. 2023): the rows of a kernel are scaled before rounding by a power
/// of the largest magnitude of their input. The power is found by grid search.
struct AWQConfig {
  CalibrationData dataset = {};   ///< required
  Tokenizer tokenizer = {};       ///< not needed for token ids
  int64_t weight_bits = 4;        ///< must be 4
  int64_t num_samples = 128;      ///< number of sequences
  int64_t sequence_length = 512;  ///< tokens per sequence
  int64_t group_size = 128;       ///< inputs that share a scale; -1: all
  int64_t num_grid_points = 20;   ///< powers i / num_grid_points
  /// Default: the model's get_quantization_layer_structure().
  std::optional<QuantizationLayerStructure> quantization_layer_structure = {};
};

/// A model class that names its blocks derives from this in addition to Model.
class HasQuantizationBlocks {
 public:
  virtual ~HasQuantizationBlocks() = default;
  /// Called if the config names no blocks; `mode` is "gptq" or "awq". Returns none by default.
  virtual std::optional<QuantizationLayerStructure> get_quantization_layer_structure(
      const std::string& mode) const;

 protected:
  HasQuantizationBlocks() = default;
  HasQuantizationBlocks(const HasQuantizationBlocks&) = default;
  HasQuantizationBlocks& operator=(const HasQuantizationBlocks&) = default;
};

}  // namespace antler
