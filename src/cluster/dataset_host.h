#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "antler/data/dataset.h"

namespace antler::cluster {

class MakeIteratorRequest;
class MakeIteratorReply;

/// The iterators of a worker over data sets that it creates itself. Thread-safe.
class DatasetHost {
 public:
  void clear();
  void make(const MakeIteratorRequest& request, MakeIteratorReply& reply);
  void drop(uint64_t iterator);
  /// Throws OutOfRangeError at the end, and the exceptions of the data set.
  Nest next(uint64_t iterator);
  /// Puts back an element that next() returned; next() returns it again.
  void put_back(uint64_t iterator, Nest element);

 private:
  struct Pipeline {
    std::mutex mutex;
    std::unique_ptr<data::ElementIterator> elements;
    std::deque<Nest> returned;

    std::optional<Nest> next();
  };
  std::shared_ptr<Pipeline> find(uint64_t iterator);

  std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<Pipeline>> pipelines_;
};

}  // namespace antler::cluster
