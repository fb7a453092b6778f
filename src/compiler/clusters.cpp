#include "compiler/clusters.h"

#include <algorithm>

#include "antler/base/error.h"

namespace antler::compiler {
namespace {

size_t u(int i) { return static_cast<size_t>(i); }

}  // namespace

int ClusterGraph::add(Cluster cluster) {
  const int id = count();
  clusters_.push_back(std::move(cluster));
  parent_.push_back(id);
  // Clusters are added from the last to the first, so a new one runs before all others.
  rank_.push_back(--lowest_);
  seen_.push_back(0);
  return id;
}

int ClusterGraph::find(int id) const {
  while (parent_[u(id)] != id) {
    parent_[u(id)] = parent_[u(parent_[u(id)])];
    id = parent_[u(id)];
  }
  return id;
}

void ClusterGraph::add_edge(int from, int to) {
  from = find(from);
  to = find(to);
  if (from == to) return;
  auto& next = clusters_[u(from)].next;
  if (std::find(next.begin(), next.end(), to) != next.end()) return;
  next.push_back(to);
  if (rank_[u(from)] >= rank_[u(to)]) stale_ = true;
}

void ClusterGraph::merge(int a, int b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  Cluster& into = clusters_[u(a)];
  Cluster& from = clusters_[u(b)];
  parent_[u(b)] = a;
  into.units.insert(into.units.end(), from.units.begin(), from.units.end());
  into.has_inner = into.has_inner || from.has_inner;
  std::vector<int> next;
  for (const auto* list : {&into.next, &from.next}) {
    for (int id : *list) {
      const int root = find(id);
      if (root != a && std::find(next.begin(), next.end(), root) == next.end())
        next.push_back(root);
    }
  }
  into.next = std::move(next);
  from = {};
  stale_ = true;
}

void ClusterGraph::update_ranks() {
  stale_ = false;
  std::vector<int> waits(clusters_.size(), 0);
  std::vector<int> ready;
  int live = 0;
  for (int id = 0; id < count(); ++id) {
    if (!is_root(id)) continue;
    ++live;
    for (int n : clusters_[u(id)].next) {
      if (find(n) != id) ++waits[u(find(n))];
    }
  }
  for (int id = 0; id < count(); ++id) {
    if (is_root(id) && waits[u(id)] == 0) ready.push_back(id);
  }
  int rank = 0;
  for (size_t i = 0; i < ready.size(); ++i) {
    rank_[u(ready[i])] = rank++;
    for (int n : clusters_[u(ready[i])].next) {
      const int root = find(n);
      if (root != ready[i] && --waits[u(root)] == 0) ready.push_back(root);
    }
  }
  if (rank != live) throw InternalError("Fusion made a cycle of kernels.");
  lowest_ = -1;
}

bool ClusterGraph::search(int from, int to, bool skip_direct) {
  if (stale_) update_ranks();
  from = find(from);
  to = find(to);
  if (from == to) return true;
  ++searches_;
  std::vector<int> stack = {from};
  while (!stack.empty()) {
    const int id = stack.back();
    stack.pop_back();
    for (int n : clusters_[u(id)].next) {
      n = find(n);
      if (n == to) {
        if (skip_direct && id == from) continue;
        return true;
      }
      if (n == from || rank_[u(n)] > rank_[u(to)] || seen_[u(n)] == searches_) continue;
      seen_[u(n)] = searches_;
      stack.push_back(n);
    }
  }
  return false;
}

bool ClusterGraph::reaches(int from, int to) { return search(from, to, false); }
bool ClusterGraph::reaches_indirectly(int from, int to) { return search(from, to, true); }

}  // namespace antler::compiler
