#include "antler/ops/elementwise.h"
#include "nn/layers/preprocessing/lookup_options.h"

namespace antler {

template <class Token>
Tensor encode_lookup(const TokenTable<Token>& table, const std::string& mode,
                     const Tensor& indices) {
  if (mode == "int") return indices;
  const Tensor encoded =
      encode_categories(indices, mode == "tf_idf" ? "count" : mode, table.depth(), DType::int64);
  if (mode != "tf_idf") return encoded;
  return ops::cast(encoded, DType::float32) * Tensor::of(table.idf_weights());
}

template Tensor encode_lookup(const TokenTable<int64_t>&, const std::string&, const Tensor&);
template Tensor encode_lookup(const TokenTable<std::string>&, const std::string&, const Tensor&);

}  // namespace antler
