// A client that says whatever it likes: bytes in, bytes out, over a socket of this machine.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace pliant::test {

class Client {
public:
    explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<std::uint16_t>(port));
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    }
    ~Client() { ::close(socket_); }
    Client(Client const&) = delete;
    Client& operator=(Client const&) = delete;

    bool connected() const { return connected_; }
    void say(std::string const& bytes) const { (void)!::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
    void say_no_more() const { ::shutdown(socket_, SHUT_WR); }

    // What comes until the other side closes, or nothing comes for a while. `closed` says which.
    std::string hear(int patience_ms = 5000) {
        std::string all;
        closed_ = false;
        for (;;) {
            pollfd wait{socket_, POLLIN, 0};
            if (::poll(&wait, 1, patience_ms) <= 0) return all;
            char bytes[4096];
            auto const count = ::recv(socket_, bytes, sizeof bytes, 0);
            if (count <= 0) return closed_ = true, all;
            all.append(bytes, std::size_t(count));
        }
    }
    bool closed() const { return closed_; }

private:
    int socket_;
    bool connected_ = false, closed_ = false;
};

}  // namespace pliant::test
