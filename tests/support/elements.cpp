#include "support/elements.h"

namespace antler::test {

std::vector<double> elements(const Shape& shape, const std::function<double(const Index&)>& f) {
  std::vector<double> result;
  Index index(static_cast<size_t>(shape.rank()));
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    int64_t rest = i;
    for (size_t d = index.size(); d-- > 0; rest /= shape.dims()[d])
      index[d] = rest % shape.dims()[d];
    result.push_back(f(index));
  }
  return result;
}

double View::operator()(const Index& index) const {
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d) position = position * shape_.dims()[d] + index[d];
  return values_.at(static_cast<size_t>(position));
}

}  // namespace antler::test
