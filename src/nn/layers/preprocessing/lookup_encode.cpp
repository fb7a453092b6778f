#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/preprocessing/lookup_options.h"

namespace antler {

template <class Token>
Tensor weighted_counts(const TokenTable<Token>& table, const Tensor& counts) {
  std::vector<float> idf = table.idf_weights();
  idf.resize(static_cast<size_t>(table.depth()), 0.0F);  // those of a file come later
  return ops::cast(counts, DType::float32) * Tensor::of(idf);
}

template <class Token>
Tensor encode_lookup(const TokenTable<Token>& table, const std::string& mode,
                     const Tensor& indices) {
  if (mode == "int") return indices;
  const Tensor encoded =
      encode_categories(indices, mode == "tf_idf" ? "count" : mode, table.depth(), DType::int64);
  if (mode != "tf_idf") return encoded;
  return weighted_counts(table, encoded);
}

template Tensor encode_lookup(const TokenTable<int64_t>&, const std::string&, const Tensor&);
template Tensor weighted_counts(const TokenTable<std::string>&, const Tensor&);
template Tensor encode_lookup(const TokenTable<std::string>&, const std::string&, const Tensor&);

}  // namespace antler
