#include "antler/core/string_tensor.h"

#include "antler/base/error.h"

namespace antler {

StringTensor::StringTensor(std::vector<std::string> texts, Shape given)
    : shape(std::move(given)), values(std::move(texts)) {
  if (shape.num_elements() != static_cast<int64_t>(values.size())) {
    throw ValueError("StringTensor: " + std::to_string(values.size()) +
                     " values do not fill shape " + shape.str() + ".");
  }
}

StringTensor StringTensor::of(std::initializer_list<std::initializer_list<const char*>> rows) {
  const size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  std::vector<std::string> texts;
  for (const auto& row : rows) {
    if (row.size() != columns) {
      throw ValueError("StringTensor::of: rows of different lengths: " + std::to_string(columns) +
                       " and " + std::to_string(row.size()) + ".");
    }
    texts.insert(texts.end(), row.begin(), row.end());
  }
  return {std::move(texts), {static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)}};
}

}  // namespace antler
