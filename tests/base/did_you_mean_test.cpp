#include "base/did_you_mean.h"

#include <gtest/gtest.h>

namespace antler {
namespace {

TEST(DidYouMean, TheClosestName) {
  const std::vector<std::string> names = {"relu", "elu", "selu", "sigmoid", "glorot_uniform"};
  EXPECT_EQ(did_you_mean("rellu", names), " Did you mean 'relu'?");
  EXPECT_EQ(did_you_mean("Sigmiod", names), " Did you mean 'sigmoid'?");
  EXPECT_EQ(did_you_mean("glorot", names), " Did you mean 'glorot_uniform'?");
  EXPECT_EQ(did_you_mean("relu6x", names), " Did you mean 'relu'?");
  EXPECT_EQ(did_you_mean("gelato", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
  EXPECT_EQ(did_you_mean("relu", {}), "");
}

TEST(SuggestNames, TheClosestAndAll) {
  EXPECT_EQ(suggest_names("adm", "optimizers", {"adam", "sgd"}),
            " Did you mean 'adam'? Known optimizers: 'adam', 'sgd'.");
  EXPECT_EQ(suggest_names("x", "optimizers", {"sgd"}), " Known optimizers: 'sgd'.");
}

}  // namespace
}  // namespace antler
