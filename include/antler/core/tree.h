#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/nest.h"

/// keras.tree: functions of trees of tensors. A Nest has lists and dictionaries; a list stands for
/// Python's tuple too. Dictionaries are visited by sorted key.
namespace antler::tree {

/// True for a list or dictionary.
bool is_nested(const Nest& structure);
/// The leaves in order.
Tensors flatten(const Nest& structure);
/// Index or key at each level from the root down.
using Path = std::vector<std::string>;
std::vector<std::pair<Path, Tensor>> flatten_with_path(const Nest& structure);
/// A tree like `structure` with these leaves. Throws ValueError if their number differs.
Nest pack_sequence_as(const Nest& structure, const Tensors& flat_sequence);

/// The tree of f(leaf of the first, leaf of the second, ...). Throws ValueError unless all have the
/// same structure.
Nest map_structure(const std::function<Tensor(const Tensors&)>& f,
                   const std::vector<Nest>& structures);
Nest map_structure(const std::function<Tensor(const Tensor&)>& f, const Nest& structure);
/// Applies f to the parts of `structures` at each leaf of `shallow`. Throws ValueError unless all
/// of them begin with the structure of `shallow`.
Nest map_structure_up_to(const Nest& shallow,
                         const std::function<Nest(const std::vector<Nest>&)>& f,
                         const std::vector<Nest>& structures);
/// Replaces each part of the tree, including the root, by the result of `f`; std::nullopt keeps the
/// part. Visits parts from the root down, without entering replaced parts, or from the leaves up.
Nest traverse(const std::function<std::optional<Nest>(const Nest&)>& f, const Nest& structure,
              bool top_down = true);

/// Throws a ValueError that shows both unless kinds, sizes and keys agree. The leaves may differ.
void assert_same_structure(const Nest& a, const Nest& b);
/// Throws ValueError unless the same paths lead to leaves: a dictionary with the keys "0", "1" is
/// like a list of two.
void assert_same_paths(const Nest& a, const Nest& b);

}  // namespace antler::tree
