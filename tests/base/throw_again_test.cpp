#include "base/throw_again.h"

#include <gtest/gtest.h>

#include <string>

namespace antler {
namespace {

class OwnError : public Error {
 public:
  using Error::Error;
};

template <class Thrown>
std::string class_and_text() {
  try {
    try {
      throw Thrown("first");
    } catch (const Error& error) {
      throw_again(error, "second");
    }
  } catch (const Thrown& error) {
    return error.class_name() + std::string(": ") + error.what();
  }
}

TEST(ThrowAgain, TheClassStays) {
  EXPECT_EQ(class_and_text<ValueError>(), "ValueError: second");
  EXPECT_EQ(class_and_text<NotImplementedError>(), "NotImplementedError: second");
  EXPECT_EQ(class_and_text<Error>(), "Error: second");
  EXPECT_EQ(class_and_text<UnavailableError>(), "UnavailableError: second");
  EXPECT_EQ(class_and_text<ResourceExhaustedError>(), "ResourceExhaustedError: second");
  EXPECT_EQ(class_and_text<OwnError>(), "Error: first") << "nobody can make another of these";
}

TEST(ThrowAgain, SentencesEndWithADot) {
  EXPECT_EQ(with_sentence("Wrong", "In x."), "Wrong. In x.");
  EXPECT_EQ(with_sentence("Wrong.", "In x."), "Wrong. In x.");
}

}  // namespace
}  // namespace antler
