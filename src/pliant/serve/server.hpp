// Serves a page to the browser of the same machine: files of the page by HTTP, and a WebSocket for a simulation that
// runs while one watches.
//
// Whoever can open a port of this machine must not be able to read or steer a run: it listens on the loopback address
// alone, the address of the page holds a random token, and a request must name this host (against DNS rebinding) and
// come from the page itself (Origin). Sizes and times are bounded; whatever is malformed is answered by closing.
// Nothing that a client sends becomes a path of the file system: the `Answer` gets the part after the token, of which
// it knows all forms.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace pliant {

struct Reply {
    int status = 200;
    std::string type = "application/octet-stream";
    std::shared_ptr<std::string const> body = nullptr;  // null: empty
};

struct LiveSide {                                     // what the WebSocket talks to; none: there is no WebSocket
    std::function<std::string()> greet = {};          // the first message to a page
    std::function<bool(std::string_view)> take = {};  // a message from a page; false: it was malformed
    std::function<void()> left = {};                  // a page has gone: closed, reloaded or disconnected
};

class Server {
public:
    struct Impl;
    // Called on the threads of the server, two at a time.
    using Answer = std::function<Reply(std::string_view path)>;

    // Port 0: any free one. Throws InputError when the port is in use.
    Server(Answer answer, LiveSide live, int port);
    ~Server();
    Server(Server const&) = delete;
    Server& operator=(Server const&) = delete;

    std::string address() const;  // http://127.0.0.1:PORT/TOKEN/
    int watchers() const;         // pages connected by WebSocket

    // To all pages. A frame that has not left when the next one comes is dropped: the newest wins, and nobody waits. A
    // page answers each frame with this word; to one that owes two answers nothing leaves, so that a slow page sees
    // what happens now and not what has piled up on the way to it.
    static constexpr std::string_view seen = "seen";
    void show(std::shared_ptr<std::string const> frame);
    void tell(std::string text);  // text messages all arrive, unless a page is too slow: then it is disconnected

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace pliant
