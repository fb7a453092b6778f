#include "cluster/store.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "base/clock.h"
#include "cluster/members.h"
#include "cluster/processes.h"
#include "cluster/store_server.h"
#include "support/paths.h"

namespace antler::cluster {
namespace {

/// Worker 0 and its store, in this process.
class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    logging::set_warning_sink([this](std::string_view text) { warnings_ += text; });
  }
  ~StoreTest() override { logging::set_warning_sink({}); }

  GlooOptions options() const { return {.addresses = addresses_, .token = "secret"}; }

  std::vector<std::string> addresses_ = test::free_addresses(2);
  std::string warnings_;
};

TEST_F(StoreTest, KeysAreSetReadCountedAndErased) {
  const Members members = make_members(options());
  const StoreServer server(members);
  Store store(members);
  const std::string bytes("\0\xff\n", 3);
  store.set("key", bytes, 10);
  EXPECT_EQ(store.get("key", 10), bytes);
  store.set("key", "new", 10);
  EXPECT_EQ(store.get("key", 10), "new");
  EXPECT_TRUE(store.erase("key", 10));
  EXPECT_FALSE(store.erase("key", 10));
  EXPECT_EQ(store.get("key", 0), std::nullopt);
  EXPECT_EQ(store.add("count", 2, 10), 2);
  EXPECT_EQ(store.add("count", -5, 10), -3);
  EXPECT_NE(warnings_.find("without TLS"), std::string::npos);
}

TEST_F(StoreTest, GetWaitsForTheKey) {
  const Members members = make_members(options());
  const StoreServer server(members);
  Store store(members);
  std::thread other([&] {
    Store second(members);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    second.set("key", "value", 10);
  });
  EXPECT_EQ(store.get("key", 30), "value");
  other.join();
  const double start = steady_seconds();
  EXPECT_EQ(store.get("missing", 0.5), std::nullopt);
  EXPECT_GE(steady_seconds() - start, 0.45);
}

TEST_F(StoreTest, StrangersAreRefusedAndNamedOnce) {
  const StoreServer server(make_members(options()));
  GlooOptions other = options();
  other.token = "wrong";
  Store wrong_token(make_members(other));
  EXPECT_THROW(wrong_token.set("key", "value", 10), ValueError);
  EXPECT_THROW(wrong_token.get("key", 10), ValueError);
  other = options();
  other.addresses.emplace_back("127.0.0.1:1");
  Store other_cluster(make_members(other));
  EXPECT_THROW(other_cluster.add("key", 1, 10), ValueError);
  Store member(make_members(options()));
  EXPECT_EQ(member.get("key", 0), std::nullopt);
  const size_t refused = warnings_.find("refused a call");
  EXPECT_NE(refused, std::string::npos);
  EXPECT_EQ(warnings_.find("refused a call", refused + 1), std::string::npos);
  EXPECT_EQ(warnings_.find("secret"), std::string::npos);
}

TEST_F(StoreTest, RandomBytesDisturbNothing) {
  const Members members = make_members(options());
  const StoreServer server(members);
  Store store(members);
  store.set("key", "value", 10);
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const std::string& own = addresses_[0];
    address.sin_port = htons(static_cast<uint16_t>(std::stoi(own.substr(own.rfind(':') + 1))));
    ASSERT_EQ(::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    // Every second message starts like a gRPC client's.
    std::string bytes = round % 2 == 0 ? "" : "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for (int i = 0; i < 5000; ++i) bytes += static_cast<char>(random() & 0xff);
    ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::close(descriptor);
  }
  EXPECT_EQ(store.get("key", 10), "value");
  Store second(members);
  EXPECT_EQ(second.get("key", 10), "value");
}

TEST_F(StoreTest, AddressInUseIsAnError) {
  const Members members = make_members(options());
  const StoreServer server(members);
  EXPECT_THROW(StoreServer second(members), UnavailableError);
}

TEST_F(StoreTest, NoAnswerExceedsTheDeadline) {
  Store store(make_members(options()));
  EXPECT_THROW(store.set("key", "value", 0.5), DeadlineExceededError);
}

// The keys in data/cluster are for this test alone: an authority, a worker's certificate that it
// signed, and a self-signed one.
TEST_F(StoreTest, TlsNeedsACertificateOfTheAuthority) {
  GlooOptions secure = options();
  const std::string folder = (test::data_dir() / "cluster").string() + "/";
  secure.tls = TlsFiles{.certificate = folder + "worker.pem",
                        .key = folder + "worker.key",
                        .root = folder + "authority.pem"};
  const StoreServer server(make_members(secure));
  EXPECT_EQ(warnings_.find("without TLS"), std::string::npos);
  Store store(make_members(secure));
  store.set("key", "value", 10);
  EXPECT_EQ(store.get("key", 10), "value");
  Store plain(make_members(options()));
  EXPECT_THROW(plain.get("key", 0.5), Error);
  GlooOptions stranger = secure;
  stranger.tls->certificate = folder + "stranger.pem";
  stranger.tls->key = folder + "stranger.key";
  Store self_signed(make_members(stranger));
  EXPECT_THROW(self_signed.get("key", 0.5), Error);
}

}  // namespace
}  // namespace antler::cluster
