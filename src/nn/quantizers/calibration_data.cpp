#include "nn/quantizers/calibration_data.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/ops/core.h"

namespace antler {
namespace {

void append_tokens(const Tensor& ids, std::vector<int32_t>& all) {
  const auto more = ops::cast(ids, DType::int32).to_vector<int32_t>();
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<int32_t> all_tokens(const CalibrationData& data, const Tokenizer& tokenizer) {
  std::vector<int32_t> all;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&data)) {
    if (!texts->empty() && !tokenizer) {
      throw ValueError("Strings as `dataset` of a quantization config require a `tokenizer`.");
    }
    for (const std::string& text : *texts) append_tokens(tokenizer(text), all);
  } else {
    for (const Tensor& ids : std::get<Tensors>(data)) append_tokens(ids, all);
  }
  if (all.empty()) throw ValueError("Provided dataset is empty.");
  return all;
}

}  // namespace

Tensors calibration_sequences(const CalibrationData& data, const Tokenizer& tokenizer,
                              int64_t count, int64_t length) {
  std::vector<int32_t> tokens = all_tokens(data, tokenizer);
  const auto own = static_cast<int64_t>(tokens.size());
  if (own < count * length) {
    const int64_t repeats = (count * length + own - 1) / own;
    tokens.resize(static_cast<size_t>(own * repeats));
    for (size_t i = static_cast<size_t>(own); i < tokens.size(); ++i) {
      tokens[i] = tokens[i - static_cast<size_t>(own)];
    }
  }
  const int64_t places = static_cast<int64_t>(tokens.size()) - length + 1;
  const int64_t stride = std::max<int64_t>(1, places / count);
  Tensors sequences;
  for (int64_t i = 0; i < count; ++i) {
    Tensor sequence = Tensor::empty(DType::int32, {1, length});
    std::copy_n(tokens.begin() + (i * stride) % places, length, sequence.mutable_data<int32_t>());
    sequences.push_back(sequence);
  }
  return sequences;
}

}  // namespace antler
