#include <antler/antler.h>

#include <cstdio>

int main() {
  const antler::Tensor sum = antler::ops::sum(antler::Tensor::of<float>({1, 2}));
  std::printf("Antler %s: %g\n", ANTLER_VERSION, static_cast<double>(sum.to_vector<float>()[0]));
}
