// Reinforcement learning: an actor and a critic learn to balance a pole on a cart (Barto, Sutton
// and Anderson 1983). 16 carts move at a time; the update is a compiled function with a
// GradientTape.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

constexpr int64_t kCarts = 16;
constexpr int64_t kSteps = 32;  // between two updates
constexpr int kLimit = 500;     // an episode ends when the pole falls, or after this many steps

/// Position and speed of the cart, angle and angular speed of the pole.
struct CartPole {
  std::array<double, 4> state = {};
  int age = 0;

  void reset(gallery::Random& random) {
    for (double& s : state) s = static_cast<double>(random.uniform(-0.05, 0.05));
    age = 0;
  }
  /// Pushes to the left or right for 1/50 s. False if the pole has fallen or the cart is off track.
  bool step(bool right) {
    auto& [x, v, angle, spin] = state;
    const double force = right ? 10 : -10;
    const double sine = std::sin(angle);
    const double cosine = std::cos(angle);
    const double push = (force + 0.05 * spin * spin * sine) / 1.1;
    const double turn =
        (9.8 * sine - cosine * push) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1));
    x += 0.02 * v;
    v += 0.02 * (push - 0.05 * turn * cosine / 1.1);
    angle += 0.02 * spin;
    spin += 0.02 * turn;
    ++age;
    return std::abs(x) < 2.4 && std::abs(angle) < 0.21;
  }
};

}  // namespace

int main(int argc, char** argv) {
  // An epoch is 50 updates.
  return gallery::run(argc, argv, /*epochs=*/60, [](int64_t epochs) {
    const Tensor state = Input({4});
    const Tensor h = Dense(64, kw::activation = "tanh")(state);
    const Tensor k = Dense(64, kw::activation = "tanh")(state);
    Model model(state, {Dense(2)(h), Dense(1)(k)});  // logits of the actions, value of the state
    optimizers::Adam optimizer(2e-3, kw::global_clipnorm = 1.0);

    const Function act = tf::function([&](const Tensors& in) -> Tensors {
      const auto [logits, value] = model(Nest(in[0])).unpack<2>();
      return {random::categorical(logits, 1)[{Slice(), 0}], value.tensor()[{Slice(), 0}]};
    });
    const Function update =
        tf::function([&](const Tensor& states, const Tensor& actions, const Tensor& returns) {
          GradientTape tape;
          const auto [logits, values] = model(Nest(states)).unpack<2>();
          const Tensor error = returns - values.tensor()[{Slice(), 0}];
          const Tensor log_p = ops::log_softmax(logits);
          const Tensor chosen = ops::sum(ops::one_hot(actions, 2) * log_p, -1);
          const Tensor entropy = -ops::sum(ops::exp(log_p) * log_p, -1);
          Tensor loss = ops::mean(0.5 * ops::square(error) - ops::stop_gradient(error) * chosen -
                                  0.01 * entropy);
          optimizer.minimize(loss, model.trainable_variables(), tape);
          return loss;
        });

    gallery::Random random(1);
    std::vector<CartPole> carts(kCarts);
    for (CartPole& cart : carts) cart.reset(random);
    io::LineChart chart{.title = "steps until the pole falls",
                        .x_label = "epoch",
                        .series = {{.name = "mean episode"}}};
    for (int64_t epoch = 1; epoch <= epochs; ++epoch) {
      double steps = 0;
      double episodes = 0;
      for (int i = 0; i < 50; ++i) {
        const auto look = [&] {
          std::vector<float> states;
          for (const CartPole& cart : carts)
            states.insert(states.end(), cart.state.begin(), cart.state.end());
          return Tensor::of(states, {kCarts, 4});
        };
        Tensors states, actions, going;  // a tensor over the carts for each step
        for (int64_t t = 0; t < kSteps; ++t) {
          states.push_back(look());
          actions.push_back(act(states.back())[0]);
          std::vector<float> goes_on(kCarts, 1.0F);
          for (size_t c = 0; c < kCarts; ++c) {
            const bool stands = carts[c].step(actions.back().data<int32_t>()[c] == 1);
            if (stands && carts[c].age < kLimit) continue;
            ++episodes;
            steps += carts[c].age;
            goes_on[c] = 0;
            carts[c].reset(random);
          }
          going.push_back(Tensor::of(goes_on));
        }
        // Each step is worth 0.05 plus 0.99 times the value of the next; after the last step the
        // critic estimates that value.
        Tensors returns(kSteps);
        Tensor next = act(look())[1];
        for (size_t t = kSteps; t-- > 0;) returns[t] = next = 0.05 + 0.99 * next * going[t];
        update(ops::concatenate(states), ops::concatenate(actions), ops::concatenate(returns));
      }
      chart.series[0].x.push_back(static_cast<double>(epoch));
      chart.series[0].y.push_back(steps / std::max(episodes, 1.0));
      std::printf("epoch %2d  mean episode %5.1f steps\n", static_cast<int>(epoch),
                  chart.series[0].y.back());
    }
    gallery::save_chart("reinforcement_learning.png", {chart});

    // Always takes the better of the two actions, from 20 starts.
    double total = 0;
    for (int i = 0; i < 20; ++i) {
      CartPole cart;
      cart.reset(random);
      bool stands = true;
      while (stands && cart.age < kLimit) {
        const std::vector<float> now(cart.state.begin(), cart.state.end());
        const Tensor logits = model(Nest(Tensor::of(now, {1, 4})))[0];
        stands = cart.step(ops::argmax(logits).item<int>() == 1);
      }
      total += cart.age;
    }
    std::printf("balanced for %.1f of %d steps, mean of 20 episodes\n", total / 20, kLimit);
  });
}
