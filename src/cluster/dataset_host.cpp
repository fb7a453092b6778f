#include "cluster/dataset_host.h"

#include <utility>

#include <training.pb.h>

#include "antler/base/error.h"
#include "cluster/dataset_registry.h"
#include "cluster/graph_codec.h"

namespace antler::cluster {

std::optional<Nest> DatasetHost::Pipeline::next() {
  const std::lock_guard lock(mutex);
  Nest element;
  if (!returned.empty()) {
    element = std::move(returned.front());
    returned.pop_front();
  } else if (!elements->next(element)) {
    return std::nullopt;
  }
  return element;
}

void DatasetHost::clear() {
  const std::lock_guard lock(mutex_);
  pipelines_.clear();
}

void DatasetHost::make(const MakeIteratorRequest& request, MakeIteratorReply& reply) {
  const auto pipeline = std::make_shared<Pipeline>();
  pipeline->elements = make_dataset(
                           [&](const data::InputContext& input) {
                             return registered_dataset_fn(request.dataset_fn())(input);
                           },
                           request.pipeline(), request.pipelines())
                           .iterate();
  if (std::optional<Nest> first = pipeline->next()) {
    encode(*first, *reply.mutable_element());
    pipeline->returned.push_front(std::move(*first));
  }
  const std::lock_guard lock(mutex_);
  pipelines_[request.iterator()] = pipeline;
}

void DatasetHost::drop(uint64_t iterator) {
  std::shared_ptr<Pipeline> dropped;  // its threads end after the lock is released
  const std::lock_guard lock(mutex_);
  const auto found = pipelines_.find(iterator);
  if (found == pipelines_.end()) return;
  dropped = std::move(found->second);
  pipelines_.erase(found);
}

std::shared_ptr<DatasetHost::Pipeline> DatasetHost::find(uint64_t iterator) {
  const std::lock_guard lock(mutex_);
  const auto found = pipelines_.find(iterator);
  if (found == pipelines_.end())
    throw KeyError("The worker does not know data set iterator {}.", iterator);
  return found->second;
}

Nest DatasetHost::next(uint64_t iterator) {
  std::optional<Nest> element = find(iterator)->next();
  if (!element) throw end_of_sequence();
  return std::move(*element);
}

void DatasetHost::put_back(uint64_t iterator, Nest element) {
  const std::shared_ptr<Pipeline> pipeline = find(iterator);
  const std::lock_guard lock(pipeline->mutex);
  pipeline->returned.push_front(std::move(element));
}

}  // namespace antler::cluster
