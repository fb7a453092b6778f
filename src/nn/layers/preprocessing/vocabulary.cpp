#include "antler/nn/layers/vocabulary.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {

std::vector<std::string> vocabulary_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line(text.substr(begin, end - begin));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<std::string> read_vocabulary(const std::string& path) {
  return vocabulary_lines(read_file(path));
}

Tensor warmstart_embedding_matrix(const std::vector<std::string>& base_vocabulary,
                                  const std::vector<std::string>& new_vocabulary,
                                  const Tensor& base_embeddings, const Initializer& initializer) {
  if (base_embeddings.rank() != 2 || base_embeddings.dim(0) < std::ssize(base_vocabulary)) {
    throw ValueError(
        "warmstart_embedding_matrix: `base_embeddings` must have a row for each of {} tokens. "
        "Received: base_embeddings.shape={}",
        base_vocabulary.size(), base_embeddings.shape());
  }
  std::map<std::string, int64_t> base;
  for (size_t i = 0; i < base_vocabulary.size(); ++i) {
    base[base_vocabulary[i]] = static_cast<int64_t>(i);
  }
  std::vector<int64_t> rows(new_vocabulary.size(), 0);
  std::vector<uint8_t> known(new_vocabulary.size(), 0);
  for (size_t i = 0; i < new_vocabulary.size(); ++i) {
    const auto found = base.find(new_vocabulary[i]);
    if (found == base.end()) continue;
    rows[i] = found->second;
    known[i] = 1;
  }
  const auto count = std::ssize(new_vocabulary);
  const Tensor fresh = initializer(Shape{count, base_embeddings.dim(1)}, base_embeddings.dtype());
  if (base.empty()) return fresh;
  const Tensor mask = ops::cast(Tensor::of(known, Shape{count, 1}), DType::boolean);
  return ops::where(mask, ops::take(base_embeddings, Tensor::of(rows), 0), fresh);
}

}  // namespace antler
