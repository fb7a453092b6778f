#include "antler/nn/layers/vocabulary.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/nn/initializers.h"

namespace antler {
namespace {

TEST(WarmstartEmbeddingMatrix, TakesTheRowsOfSharedTokens) {
  const std::vector<std::string> base = {"unk", "a", "b", "c"};
  const std::vector<std::string> next = {"unk", "unk", "c", "d", "a"};
  const Tensor embeddings = Tensor::of<float>({0, 1, 10, 11, 20, 21, 30, 31}, {4, 2});
  const Tensor y = warmstart_embedding_matrix(base, next, embeddings, "ones");
  EXPECT_EQ(y.to_doubles(), (std::vector<double>{0, 1, 0, 1, 30, 31, 1, 1, 10, 11}));
  EXPECT_EQ(warmstart_embedding_matrix({}, {"x"}, embeddings, "zeros").to_doubles(),
            (std::vector<double>{0, 0}));
  const std::vector<double> drawn =
      warmstart_embedding_matrix(base, {"new"}, embeddings).to_doubles();
  for (const double v : drawn) EXPECT_TRUE(v >= -0.05 && v <= 0.05) << v;
  EXPECT_THROW(warmstart_embedding_matrix(base, next, Tensor::of<float>({1, 2}, {1, 2})),
               ValueError);
}

}  // namespace
}  // namespace antler
