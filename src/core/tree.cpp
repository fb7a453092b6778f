#include "antler/core/tree.h"

#include <algorithm>

#include "antler/base/error.h"

namespace antler::tree {
namespace {

/// Children with their keys or indices, in the order of flatten().
std::vector<std::pair<std::string, Nest>> children_of(const Nest& nest) {
  std::vector<std::pair<std::string, Nest>> children;
  for (size_t i = 0; i < nest.size(); ++i) {
    const auto& [key, child] = nest.items()[i];
    children.emplace_back(nest.is_dict() ? key : std::to_string(i), child);
  }
  if (nest.is_dict()) {
    std::stable_sort(children.begin(), children.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  return children;
}

/// A nest like `like` with other children.
Nest with_children(const Nest& like, const std::vector<Nest>& values) {
  if (like.is_list()) return Nest(values);
  Nest::Items items;
  const auto children = children_of(like);
  for (size_t i = 0; i < children.size(); ++i) items.emplace_back(children[i].first, values[i]);
  return Nest::dict(std::move(items));
}

bool same_node(const Nest& a, const Nest& b) {
  if (a.kind() != b.kind() || a.size() != b.size()) return false;
  const auto left = children_of(a);
  const auto right = children_of(b);
  return std::equal(left.begin(), left.end(), right.begin(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

bool same_structure(const Nest& a, const Nest& b) {
  if (!same_node(a, b)) return false;
  const auto left = children_of(a);
  const auto right = children_of(b);
  return std::equal(left.begin(), left.end(), right.begin(), [](const auto& x, const auto& y) {
    return same_structure(x.second, y.second);
  });
}

void collect_paths(const Nest& nest, Path& here, std::vector<std::pair<Path, Tensor>>& found) {
  if (nest.is_tensor()) {
    found.emplace_back(here, nest.tensor());
    return;
  }
  for (const auto& [key, child] : children_of(nest)) {
    here.push_back(key);
    collect_paths(child, here, found);
    here.pop_back();
  }
}

[[noreturn]] void throw_different(const char* what, const Nest& a, const Nest& b) {
  throw ValueError("`a` and `b` don't have the same {}. a={}, b={}", what, a.structure(),
                   b.structure());
}

}  // namespace

bool is_nested(const Nest& structure) { return !structure.is_tensor(); }

Tensors flatten(const Nest& structure) { return structure.flatten(); }

std::vector<std::pair<Path, Tensor>> flatten_with_path(const Nest& structure) {
  std::vector<std::pair<Path, Tensor>> found;
  Path here;
  collect_paths(structure, here, found);
  return found;
}

Nest pack_sequence_as(const Nest& structure, const Tensors& flat_sequence) {
  return structure.pack(flat_sequence);
}

Nest map_structure(const std::function<Tensor(const Tensors&)>& f,
                   const std::vector<Nest>& structures) {
  if (structures.empty()) throw ValueError("Must provide at least one structure");
  for (const Nest& other : structures) assert_same_structure(structures[0], other);
  return map_structure_up_to(
      structures[0],
      [&](const std::vector<Nest>& leaves) -> Nest {
        Tensors tensors;
        for (const Nest& leaf : leaves) tensors.push_back(leaf.tensor());
        return f(tensors);
      },
      structures);
}

Nest map_structure(const std::function<Tensor(const Tensor&)>& f, const Nest& structure) {
  return structure.map(f);
}

Nest map_structure_up_to(const Nest& shallow,
                         const std::function<Nest(const std::vector<Nest>&)>& f,
                         const std::vector<Nest>& structures) {
  if (!is_nested(shallow)) return f(structures);
  for (const Nest& deep : structures) {
    if (!same_node(shallow, deep)) throw_different("structure", shallow, deep);
  }
  std::vector<std::vector<std::pair<std::string, Nest>>> children;
  children.reserve(structures.size());
  for (const Nest& deep : structures) children.push_back(children_of(deep));
  const auto guides = children_of(shallow);
  std::vector<Nest> values;
  for (size_t i = 0; i < guides.size(); ++i) {
    std::vector<Nest> parts;
    parts.reserve(children.size());
    for (const auto& of_one : children) parts.push_back(of_one[i].second);
    values.push_back(map_structure_up_to(guides[i].second, f, parts));
  }
  return with_children(shallow, values);
}

Nest traverse(const std::function<std::optional<Nest>(const Nest&)>& f, const Nest& structure,
              bool top_down) {
  if (top_down || !is_nested(structure)) {
    if (std::optional<Nest> replaced = f(structure)) return *replaced;
    if (!is_nested(structure)) return structure;
  }
  std::vector<Nest> values;
  for (const auto& [key, child] : children_of(structure)) {
    values.push_back(traverse(f, child, top_down));
  }
  Nest whole = with_children(structure, values);
  return top_down ? whole : f(whole).value_or(whole);
}

void assert_same_structure(const Nest& a, const Nest& b) {
  if (!same_structure(a, b)) throw_different("structure", a, b);
}

void assert_same_paths(const Nest& a, const Nest& b) {
  const auto paths = [](const Nest& nest) {
    std::vector<Path> found;
    for (auto& [path, leaf] : flatten_with_path(nest)) found.push_back(path);
    std::sort(found.begin(), found.end());
    return found;
  };
  if (paths(a) != paths(b)) throw_different("paths", a, b);
}

}  // namespace antler::tree
