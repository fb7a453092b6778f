#include "processes/free_ports.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "antler/base/error.h"
#include "common/descriptor.h"

namespace antler::cli {
namespace {

[[noreturn]] void no_port() {
  throw RuntimeError("Cannot find a free port: {}.", std::strerror(errno));
}

/// Lets the kernel choose a port, which stays reserved until the socket is closed.
int bind_any(int socket) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket, any, size) != 0 || ::getsockname(socket, any, &size) != 0) no_port();
  return ntohs(address.sin_port);
}

}  // namespace

std::vector<int> free_ports(size_t count) {
  std::vector<Descriptor>
      sockets;  // all stay open until all ports are known, so that the ports differ
  std::vector<int> ports;
  for (size_t i = 0; i < count; ++i) {
    const Descriptor& socket =
        sockets.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) no_port();
    ports.push_back(bind_any(socket.get()));
  }
  return ports;
}

}  // namespace antler::cli
