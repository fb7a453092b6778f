// A recommender by matrix factorization: users and films are vectors, and a rating is their dot
// product plus a bias of each. The ratings are generated from tastes that the model does not see,
// and it is trained on one in thirty of the possible ratings.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

constexpr int64_t kUsers = 1000;
constexpr int64_t kFilms = 600;
const std::vector<std::string> kGenres = {"comedy", "thriller", "romance", "documentary"};

/// The hidden truth: how much each user likes each genre, and how good each film is.
struct World {
  std::vector<float> likes;    ///< [user][genre]
  std::vector<float> quality;  ///< [film]
  size_t genre(int64_t film) const { return static_cast<size_t>(film) % kGenres.size(); }
  float like(int64_t user, size_t genre) const {
    return likes[static_cast<size_t>(user) * kGenres.size() + genre];
  }
  explicit World(gallery::Random random) {
    for (size_t i = 0; i < kUsers * kGenres.size(); ++i) likes.push_back(0.9F * random.normal());
    for (int64_t i = 0; i < kFilms; ++i) quality.push_back(0.5F * random.normal());
  }
};

struct Ratings {
  Tensor users, films, stars;
};

Ratings rate(const World& world, int64_t count, gallery::Random random) {
  std::vector<int32_t> users, films;
  std::vector<float> stars;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t user = random.below(kUsers);
    const int64_t film = random.below(kFilms);
    const float liking = 3 + world.quality[static_cast<size_t>(film)] +
                         world.like(user, world.genre(film)) + 0.4F * random.normal();
    users.push_back(static_cast<int32_t>(user));
    films.push_back(static_cast<int32_t>(film));
    stars.push_back(std::clamp(std::round(2 * liking) / 2, 0.5F, 5.0F));
  }
  return {Tensor::of(users, {count, 1}), Tensor::of(films, {count, 1}),
          Tensor::of(stars, {count, 1})};
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/30, [](int64_t epochs) {
    const World world(gallery::Random(1));
    const Ratings train = rate(world, 20000, gallery::Random(2));
    const Ratings test = rate(world, 5000, gallery::Random(3));

    const Tensor user = Input({1}, kw::dtype = "int32", kw::name = "user");
    const Tensor film = Input({1}, kw::dtype = "int32", kw::name = "film");
    const auto vector_of = [](int64_t count, int64_t size, const Tensor& which) {
      return Flatten()(
          Embedding(count, size, kw::embeddings_regularizer = regularizers::L2(3e-4))(which));
    };
    const Tensor match = Dot(1)({vector_of(kUsers, 8, user), vector_of(kFilms, 8, film)});
    const Tensor biases = Add()({vector_of(kUsers, 1, user), vector_of(kFilms, 1, film)});
    // The last layer weights both terms and adds a trained constant: the mean of all ratings.
    Model model({{"user", user}, {"film", film}}, Dense(1)(Concatenate()({match, biases})));
    model.compile(optimizers::Adam(3e-3), "mse",
                  kw::metrics = {metrics::RootMeanSquaredError(kw::name = "rmse")});
    const Nest known = {{"user", train.users}, {"film", train.films}};
    model.fit(known, train.stars, kw::batch_size = 128, kw::epochs = epochs, kw::verbose = 2);

    // All films for user 7, best first.
    const Tensor all = ops::arange(kFilms).reshape({kFilms, 1});
    const Tensor scores =
        model.predict({{"user", ops::full_like(all, 7)}, {"film", all}}, kw::verbose = 0);
    std::printf("user 7 likes");
    for (size_t g = 0; g < kGenres.size(); ++g)
      std::printf(" %s %+.1f", kGenres[g].c_str(), static_cast<double>(world.like(7, g)));
    std::printf("\nrecommended:");
    for (const int32_t f : ops::top_k(ops::ravel(scores), 8).indices.to_vector<int32_t>())
      std::printf(" %s %d", kGenres[world.genre(f)].c_str(), f);

    const Nest others = {{"user", test.users}, {"film", test.films}};
    const double mean = ops::mean(train.stars).item();
    std::printf("\ntest RMSE: %.4f stars (always the mean: %.4f)\n",
                model.evaluate(others, test.stars, kw::verbose = 0).at("rmse"),
                ops::sqrt(ops::mean(ops::square(test.stars - mean))).item());
  });
}
