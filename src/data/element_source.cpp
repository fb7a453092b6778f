#include "data/element_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "antler/base/error.h"
#include "data/class_weight.h"
#include "data/rows.h"

namespace antler::data {
namespace {

/// An element as [x, y, sample_weight].
Nest unpack(const Nest& element) {
  if (!element.is_list()) return std::vector<Nest>{element, Nest(), Nest()};
  if (element.size() < 1 || element.size() > 3) {
    throw ValueError(
        "Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`. "
        "Received: {}.",
        element.structure());
  }
  std::vector<Nest> parts(3);
  for (size_t i = 0; i < element.size(); ++i) parts[i] = element.at(i);
  return parts;
}

/// Number of rows of the first array of x; 0 for an empty batch.
int64_t count_rows(const Nest& x) {
  for (const Tensor& leaf : x.flatten()) {
    if (!leaf.defined()) continue;
    if (leaf.rank() == 0) {
      throw ValueError(
          "Expected batches with samples along axis 0; received a scalar: {}. Batch the elements "
          "with Dataset.batch().",
          leaf);
    }
    return leaf.shape()[0];
  }
  throw ValueError("Expected input data: a batch has no array.");
}

}  // namespace

bool ElementSource::fetch() {
  Nest element;
  while (!has_batch_) {
    if (!next_element(element)) return false;
    Nest batch = unpack(element);
    rows_ = count_rows(batch.at(0));
    if (rows_ == 0) continue;
    if (!class_weight_.empty()) {
      batch = std::vector<Nest>{batch.at(0), batch.at(1),
                                apply_class_weight(class_weight_, batch.at(1), batch.at(2))};
    }
    batch_ = batch.map(to_default_float);
    has_batch_ = true;
    leaves_ = batch_.flatten();
    std::erase_if(leaves_, [](const Tensor& t) { return !t.defined(); });
    std::string specs = batch_.structure();
    for (const Tensor& leaf : leaves_) {
      specs.append(dtype_name(leaf.dtype())).append(leaf.shape().str());
    }
    const auto found = std::find(specs_.begin(), specs_.end(), specs);
    signature_ = found - specs_.begin();
    if (found == specs_.end()) specs_.push_back(std::move(specs));
  }
  return true;
}

void ElementSource::drop_batch() {
  has_batch_ = false;
  batch_ = Nest();
  leaves_.clear();
}

bool ElementSource::peek(Nest& specs) {
  if (!fetch()) return false;
  reported_ = signature_;
  specs = batch_.map([](const Tensor& leaf) {
    return leaf.defined() ? Tensor::spec_only(leaf.spec()) : Tensor();
  });
  return true;
}

bool ElementSource::fill(std::span<void* const> buffers) {
  if (!fetch() || signature_ != reported_) return false;
  for (size_t i = 0; i < leaves_.size(); ++i)
    std::memcpy(buffers[i], leaves_[i].data(), leaves_[i].bytes());
  drop_batch();
  return true;
}

bool ElementSource::fill_or_lend(std::span<void*> batch) {
  if (!fetch() || signature_ != reported_) return false;
  for (size_t i = 0; i < leaves_.size(); ++i) lend_or_copy(leaves_[i], batch[i]);
  lent_ = std::move(leaves_);
  drop_batch();
  return true;
}

int64_t ElementSource::signature() {
  fetch();
  reported_ = signature_;
  return signature_;
}

int64_t ElementSource::batch_rows() { return fetch() ? rows_ : 0; }

}  // namespace antler::data
