#include "antler/core/tree.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"

namespace antler {
namespace {

Tensor number(float x) { return Tensor::of<float>({x}); }
double value(const Tensor& t) { return t.to_doubles()[0]; }

/// [1, {"a": 2, "b": [3, 4]}], its keys given in the other order.
Nest sample() {
  return std::vector<Nest>{
      number(1), Nest::dict({{"b", std::vector<Nest>{number(3), number(4)}}, {"a", number(2)}})};
}

TEST(Tree, FlattensAndPacks) {
  EXPECT_TRUE(tree::is_nested(sample()));
  EXPECT_FALSE(tree::is_nested(number(1)));
  const auto leaves = tree::flatten_with_path(sample());
  ASSERT_EQ(leaves.size(), 4U);
  EXPECT_EQ(leaves[0].first, (tree::Path{"0"}));
  EXPECT_EQ(leaves[1].first, (tree::Path{"1", "a"}));
  EXPECT_EQ(leaves[3].first, (tree::Path{"1", "b", "1"}));
  const Tensors flat = tree::flatten(sample());
  for (size_t i = 0; i < flat.size(); ++i) {
    EXPECT_EQ(value(flat[i]), static_cast<double>(i + 1));
    EXPECT_EQ(value(leaves[i].second), value(flat[i]));
  }
  const Nest packed = tree::pack_sequence_as(sample(), {flat[3], flat[2], flat[1], flat[0]});
  EXPECT_EQ(value(packed[1].at("b")[0]), 2);
  EXPECT_THROW(tree::pack_sequence_as(sample(), {flat[0]}), ValueError);
}

TEST(Tree, MapsTreesOfOneStructure) {
  const Nest sums = tree::map_structure(
      [](const Tensors& x) { return number(static_cast<float>(value(x[0]) + 10 * value(x[1]))); },
      {sample(), sample()});
  EXPECT_EQ(value(sums[1].at("b")[1]), 44);
  EXPECT_EQ(sums.structure(), sample().structure());
  const Nest twice = tree::map_structure(
      [](const Tensor& x) { return number(static_cast<float>(2 * value(x))); }, sample());
  EXPECT_EQ(value(twice[0]), 2);
  EXPECT_THROW(tree::map_structure([](const Tensors& x) { return x[0]; }, {sample(), number(1)}),
               ValueError);
  // The second element of the shallow tree is a leaf, and gets a whole dictionary.
  const Nest sizes =
      tree::map_structure_up_to(std::vector<Nest>{number(0), number(0)},
                                [](const std::vector<Nest>& parts) -> Nest {
                                  return number(static_cast<float>(parts[0].flatten().size()));
                                },
                                {sample()});
  EXPECT_EQ(value(sizes[0]), 1);
  EXPECT_EQ(value(sizes[1]), 3);
}

TEST(Tree, TraversesBothWays) {
  std::vector<std::string> seen;
  const auto replace_lists_of_two = [&](const Nest& n) -> std::optional<Nest> {
    seen.push_back(n.structure());
    if (n.is_list() && n.size() == 2 && !n[1].is_dict()) return Nest(number(9));
    return {};
  };
  const Nest down = tree::traverse(replace_lists_of_two, sample());
  EXPECT_EQ(down.structure(), "[*, {a: *, b: *}]");
  EXPECT_EQ(seen.front(), sample().structure());
  EXPECT_EQ(seen.size(), 5U);  // what is in the replaced list is not looked at
  seen.clear();
  const Nest up = tree::traverse(replace_lists_of_two, sample(), false);
  EXPECT_EQ(up.structure(), "[*, {a: *, b: *}]");
  EXPECT_EQ(seen.back(), "[*, {a: *, b: *}]");
  EXPECT_EQ(seen.size(), 7U);
}

TEST(Tree, ComparesStructures) {
  EXPECT_NO_THROW(tree::assert_same_structure(sample(), sample()));
  const Nest list = std::vector<Nest>{number(1), number(2)};
  const Nest dict = Nest::dict({{"1", number(1)}, {"0", number(2)}});
  EXPECT_THROW(tree::assert_same_structure(list, dict), ValueError);
  EXPECT_NO_THROW(tree::assert_same_paths(list, dict));
  EXPECT_THROW(tree::assert_same_paths(list, sample()), ValueError);
  EXPECT_THROW(
      tree::assert_same_structure(Nest::dict({{"a", number(1)}}), Nest::dict({{"b", number(1)}})),
      ValueError);
}

}  // namespace
}  // namespace antler
