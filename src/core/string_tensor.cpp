#include "antler/core/string_tensor.h"

#include "antler/base/error.h"

namespace antler {

StringTensor::StringTensor(std::vector<std::string> strings, Shape given)
    : shape(std::move(given)), values(std::move(strings)) {
  if (shape.num_elements() != static_cast<int64_t>(values.size())) {
    throw ValueError("StringTensor: {} values do not fill shape {}.", values.size(), shape);
  }
}

StringTensor StringTensor::of(std::initializer_list<std::initializer_list<const char*>> rows) {
  const size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
  std::vector<std::string> strings;
  for (const auto& row : rows) {
    if (row.size() != columns) {
      throw ValueError("StringTensor::of: rows of different lengths: {} and {}.", columns,
                       row.size());
    }
    strings.insert(strings.end(), row.begin(), row.end());
  }
  return {std::move(strings), {static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)}};
}

}  // namespace antler
