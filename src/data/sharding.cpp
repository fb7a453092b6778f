#include "antler/data/sharding.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "antler/base/error.h"
#include "base/ceil_div.h"
#include "data/dataset/node.h"
#include "data/rows.h"
#include "data/worker_rows.h"

namespace antler::data {
namespace {

void check_worker(int64_t workers, int64_t worker) {
  if (workers >= 1 && worker >= 0 && worker < workers) return;
  throw ValueError("Expected 0 <= worker < workers. Received: worker={}, workers={}.", worker,
                   workers);
}

/// Rows `begin` to `end` of the leaves that have the batch's rows; other leaves stay whole.
Nest rows_between(const Nest& batch, int64_t begin, int64_t end) {
  const int64_t rows = batch_rows(batch);
  return batch.map([&](const Tensor& t) {
    return t.defined() && t.rank() > 0 && t.dim(0) == rows ? rows_of(t, begin, end - begin) : t;
  });
}

/// The batches of rebatch().
class PartsOfBatches {
 public:
  PartsOfBatches(std::shared_ptr<ElementIterator> batches, int64_t workers, int64_t worker)
      : batches_(std::move(batches)), workers_(workers), first_part_(worker) {}

  bool next(Nest& element) {
    while (begin_ == rows_) {
      if (!read()) return false;
    }
    const int64_t share = std::max<int64_t>(part_of_worker(whole_, part_, workers_).count(), 1);
    part_ = (part_ + 1) % workers_;
    const int64_t end = std::min(begin_ + share, rows_);
    element = rows_between(batch_, begin_, end);
    begin_ = end;
    return true;
  }

 private:
  bool read() {
    if (whole_ == 0) {
      if (!batches_->next(batch_)) return false;
      whole_ = batch_rows(batch_);
      has_next_ = batches_->next(next_);
      // A batch that is the only one may be incomplete.
      if (!has_next_) first_part_ = 0;
    } else {
      if (!has_next_) return false;
      batch_ = next_;
      has_next_ = batches_->next(next_);
    }
    rows_ = batch_rows(batch_);
    begin_ = 0;
    part_ = first_part_;
    return true;
  }

  std::shared_ptr<ElementIterator> batches_;
  int64_t workers_;
  int64_t first_part_;
  int64_t whole_ = 0;  ///< rows of a global batch
  int64_t part_ = 0;   ///< the worker whose share comes next
  Nest batch_;
  int64_t rows_ = 0;
  int64_t begin_ = 0;
  Nest next_;
  bool has_next_ = false;
};

/// The leaves of one position, one per batch.
Tensor join_leaves(const std::vector<Tensor>& leaves) {
  const Tensor& first = leaves[0];
  if (!first.defined() || first.rank() == 0) return first;
  Shape shape = first.shape();
  shape[0] = 0;
  for (const Tensor& leaf : leaves) {
    const bool fits = leaf.defined() && leaf.dtype() == first.dtype() &&
                      leaf.rank() == first.rank() &&
                      std::equal(leaf.shape().begin() + 1, leaf.shape().end(),
                                 first.shape().begin() + 1, first.shape().end());
    if (!fits) throw ValueError("Cannot join batches: {} and {} differ.", first, leaf);
    shape[0] += leaf.dim(0);
  }
  Tensor joined = Tensor::empty(first.dtype(), shape);
  auto* to = static_cast<std::byte*>(joined.mutable_data());
  for (const Tensor& leaf : leaves) {
    std::memcpy(to, leaf.data(), leaf.bytes());
    to += leaf.bytes();
  }
  return joined;
}

}  // namespace

int64_t batch_rows(const Nest& batch) {
  for (const Tensor& leaf : batch.flatten()) {
    if (leaf.defined() && leaf.rank() > 0) return leaf.dim(0);
  }
  return 0;
}

AutoShardPolicy resolved_policy(const Dataset& dataset, AutoShardPolicy policy, int64_t workers) {
  const int64_t files = dataset.files();
  if (policy == AutoShardPolicy::automatic)
    return files >= workers ? AutoShardPolicy::file : AutoShardPolicy::data;
  if (policy == AutoShardPolicy::file && files == 0) {
    throw ValueError(
        "AutoShardPolicy::file: the data set does not know its files. Use another policy, or give "
        "each worker its own files with data::shard_files().");
  }
  if (policy == AutoShardPolicy::file && files < workers) {
    throw ValueError(
        "AutoShardPolicy::file: there must be a file for each worker. Received: {} files, {} "
        "workers.",
        files, workers);
  }
  return policy;
}

Dataset shard(const Dataset& dataset, AutoShardPolicy policy, int64_t workers, int64_t worker) {
  check_worker(workers, worker);
  policy = resolved_policy(dataset, policy, workers);
  if (policy == AutoShardPolicy::off) return dataset;
  if (policy == AutoShardPolicy::data) return dataset.shard(workers, worker);
  return make_dataset(dataset.cardinality(), {dataset}, [=](const Pass& pass) {
    Pass own = pass;
    (policy == AutoShardPolicy::file ? own.files : own.hint) = {worker, workers};
    return dataset.iterate(own);
  });
}

std::vector<std::string> shard_files(const std::vector<std::string>& files, int64_t workers,
                                     int64_t worker) {
  check_worker(workers, worker);
  if (static_cast<int64_t>(files.size()) < workers) {
    throw ValueError("Cannot share {} files among {} workers: there must be a file for each.",
                     files.size(), workers);
  }
  std::vector<std::string> own;
  for (auto i = static_cast<size_t>(worker); i < files.size(); i += static_cast<size_t>(workers))
    own.push_back(files[i]);
  return own;
}

Nest rows_of_part(const Nest& batch, int64_t workers, int64_t worker) {
  check_worker(workers, worker);
  const int64_t rows = batch_rows(batch);
  const RowRange part = part_of_worker(rows, worker, workers);
  return rows == 0 ? batch : rows_between(batch, part.begin, part.end);
}

Dataset rebatch(const Dataset& batches, int64_t workers, int64_t worker) {
  check_worker(workers, worker);
  if (workers == 1) return batches;
  return make_dataset(DataSource::kUnknown, {batches}, [=](const Pass& pass) {
    return make_iterator([parts = PartsOfBatches(batches.iterate(pass), workers, worker)](
                             Nest& element) mutable { return parts.next(element); });
  });
}

Nest join_batches(const std::vector<Nest>& batches) {
  if (batches.empty()) return {};
  if (batches.size() == 1) return batches[0];
  std::vector<std::vector<Tensor>> leaves;
  leaves.reserve(batches.size());
  for (const Nest& batch : batches) leaves.push_back(batch.flatten());
  std::vector<Tensor> joined;
  for (size_t i = 0; i < leaves[0].size(); ++i) {
    std::vector<Tensor> column;
    for (const std::vector<Tensor>& row : leaves) {
      if (row.size() != leaves[0].size())
        throw ValueError("Cannot join batches of different structures.");
      column.push_back(row[i]);
    }
    joined.push_back(join_leaves(column));
  }
  return batches[0].pack(joined);
}

Dataset join_batches(const Dataset& batches, int64_t count) {
  if (count < 1) throw ValueError("join_batches: expected count >= 1. Received: {}.", count);
  if (count == 1) return batches;
  int64_t size = batches.cardinality();
  if (size > 0) size = ceil_div(size, count);
  return make_dataset(size, {batches}, [batches, count](const Pass& pass) {
    return make_iterator([upstream = batches.iterate(pass), count](Nest& element) {
      std::vector<Nest> group;
      Nest one;
      while (static_cast<int64_t>(group.size()) < count && upstream->next(one))
        group.push_back(one);
      if (group.empty()) return false;
      element = join_batches(group);
      return true;
    });
  });
}

}  // namespace antler::data
