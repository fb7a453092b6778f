#include "compiler/pattern.h"

#include <algorithm>

namespace antler::compiler {

void Pattern::append(int64_t size, bool is_kept) {
  if (size == 1) return;
  if (!blocks.empty() && blocks.back().kept == is_kept) {
    blocks.back().size *= size;
  } else {
    blocks.push_back({size, is_kept});
  }
}

Pattern Pattern::whole(int64_t size) {
  Pattern p;
  p.append(size, true);
  return p;
}

Pattern Pattern::of(const Shape& shape, const std::vector<bool>& kept) {
  Pattern p;
  for (size_t i = 0; i < kept.size(); ++i) p.append(shape.dims()[i], kept[i]);
  return p;
}

Pattern Pattern::of_reduction(const Shape& operand, const ir::Ints& axes) {
  std::vector<bool> kept(static_cast<size_t>(operand.rank()), true);
  for (int64_t a : axes) kept[static_cast<size_t>(a)] = false;
  return of(operand, kept);
}

Pattern Pattern::of_broadcast(const Shape& result, const Shape& operand, const ir::Ints& dims) {
  std::vector<bool> kept(static_cast<size_t>(result.rank()), false);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (operand.dims()[i] == result.dims()[static_cast<size_t>(dims[i])])
      kept[static_cast<size_t>(dims[i])] = true;
  }
  return of(result, kept);
}

int64_t Pattern::total() const {
  int64_t n = 1;
  for (const Block& b : blocks) n *= b.size;
  return n;
}

int64_t Pattern::kept() const {
  int64_t n = 1;
  for (const Block& b : blocks) n *= b.kept ? b.size : 1;
  return n;
}

bool Pattern::is_whole() const {
  return std::all_of(blocks.begin(), blocks.end(), [](const Block& b) { return b.kept; });
}

std::vector<int64_t> Pattern::kept_sizes() const {
  std::vector<int64_t> sizes;
  for (const Block& b : blocks) {
    if (b.kept) sizes.push_back(b.size);
  }
  return sizes;
}

std::optional<Pattern> compose(const Pattern& outer, const Pattern& inner) {
  // Innermost blocks first; `rest` is what is left of the kept block of `outer` that is being cut.
  std::vector<Pattern::Block> reversed;
  auto next = inner.blocks.rbegin();
  int64_t next_rest = next == inner.blocks.rend() ? 1 : next->size;
  for (auto block = outer.blocks.rbegin(); block != outer.blocks.rend(); ++block) {
    if (!block->kept) {
      reversed.push_back(*block);
      continue;
    }
    int64_t rest = block->size;
    while (rest > 1) {
      if (next == inner.blocks.rend()) return {};
      const int64_t size = std::min(rest, next_rest);
      if (rest % size != 0 || next_rest % size != 0) return {};
      reversed.push_back({size, next->kept});
      rest /= size;
      next_rest /= size;
      if (next_rest == 1 && ++next != inner.blocks.rend()) next_rest = next->size;
    }
  }
  Pattern result;
  for (auto block = reversed.rbegin(); block != reversed.rend(); ++block)
    result.append(block->size, block->kept);
  return result;
}

std::optional<std::vector<int64_t>> refine(const std::vector<int64_t>& a,
                                           const std::vector<int64_t>& b) {
  std::vector<int64_t> reversed;
  auto i = a.rbegin();
  auto j = b.rbegin();
  int64_t x = 1;
  int64_t y = 1;
  while (true) {
    while (x == 1 && i != a.rend()) x = *i++;
    while (y == 1 && j != b.rend()) y = *j++;
    if (x == 1 || y == 1) break;
    const int64_t size = std::min(x, y);
    if (x % size != 0 || y % size != 0) return {};
    reversed.push_back(size);
    x /= size;
    y /= size;
  }
  if (x != y) return {};
  return std::vector<int64_t>(reversed.rbegin(), reversed.rend());
}

}  // namespace antler::compiler
