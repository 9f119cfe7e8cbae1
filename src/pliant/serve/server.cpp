// The only source that includes Boost.Beast, which is slow to compile. Every connection has a strand of its own: its
// functions never run at the same time.
#include <pliant/data/error.hpp>
#include <pliant/serve/server.hpp>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace pliant {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
namespace websocket = beast::websocket;
using tcp = net::ip::tcp;

constexpr std::size_t largest_header = 8192, largest_message = 4096;  // [bytes], from a client
constexpr std::size_t most_connections = 64, most_waiting_texts = 256;
constexpr int most_unseen = 2;  // frames on their way to a page: more would wait in the buffers of the connection
constexpr auto patience = std::chrono::seconds(20);  // with a client that has begun to say something, or does not read

std::string random_token() {
    std::random_device device;  // the kernel's
    std::string token;
    for (int k = 0; k < 4; ++k) {
        char part[9];
        std::snprintf(part, sizeof part, "%08x", static_cast<unsigned>(device()));
        token += part;
    }
    return token;
}

// Takes as long whatever it finds.
bool same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned difference = 0;
    for (std::size_t k = 0; k < a.size(); ++k) difference |= unsigned(a[k]) ^ unsigned(b[k]);
    return difference == 0;
}

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

class Page;

}  // namespace

struct Server::Impl {
    Answer answer;
    LiveSide live;
    std::string token = random_token();
    unsigned short port = 0;
    std::atomic<std::size_t> connections{0};
    std::mutex mutex;  // of the next two
    std::map<Page*, std::weak_ptr<Page>> pages;
    std::shared_ptr<std::string const> newest;
    net::io_context context;  // its end is that of all connections, which use what stands above
    tcp::acceptor acceptor{net::make_strand(context)};
    std::vector<std::thread> threads;

    void listen(int wanted) {
        beast::error_code error;
        tcp::endpoint const here{net::ip::address_v4::loopback(), static_cast<unsigned short>(wanted)};
        acceptor.open(here.protocol(), error);
        acceptor.set_option(net::socket_base::reuse_address(true), error);
        acceptor.bind(here, error);
        if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
        if (error)
            throw InputError("--port: cannot listen on port " + std::to_string(wanted) + " of 127.0.0.1 (" +
                             error.message() + "); without --port, a free one is taken");
        port = acceptor.local_endpoint().port();
    }
    void accept();
    std::vector<std::shared_ptr<Page>> present_pages();

    bool is_this_host(beast::string_view host) const {
        std::string const end = ":" + std::to_string(port);
        return view(host) == "127.0.0.1" + end || view(host) == "localhost" + end;
    }
    bool is_own_origin(beast::string_view origin) const {
        return origin.starts_with("http://") && is_this_host(origin.substr(7));
    }
    // What follows /TOKEN/; none if the token is another.
    std::optional<std::string> path_of(beast::string_view target) const {
        if (target.size() < token.size() + 2 || target[0] != '/' || target[token.size() + 1] != '/') return {};
        if (!same(view(target.substr(1, token.size())), token)) return {};
        return std::string(view(target.substr(token.size() + 2)));
    }
};

namespace {

// A page that is connected by WebSocket.
class Page : public std::enable_shared_from_this<Page> {
public:
    Page(Server::Impl& server, tcp::socket socket) : server_(server), socket_(std::move(socket)) {}
    ~Page() {
        bool greeted = false;
        {
            std::lock_guard const lock(server_.mutex);
            greeted = server_.pages.erase(this) > 0;
            --server_.connections;
        }
        if (greeted && server_.live.left) server_.live.left();
    }

    void begin(http::request<http::empty_body> const& request) {
        socket_.set_option(websocket::stream_base::timeout{patience, patience, true});
        socket_.read_message_max(largest_message);
        socket_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
            if (error) return;
            self->texts_.push_back(self->server_.live.greet());
            {
                std::lock_guard const lock(self->server_.mutex);
                self->server_.pages[self.get()] = self;
                self->frame_ = self->server_.newest;
            }
            self->write();
            self->read();
        });
    }

    void show(std::shared_ptr<std::string const> frame) {
        net::dispatch(socket_.get_executor(), [self = shared_from_this(), frame = std::move(frame)]() mutable {
            self->frame_ = std::move(frame);
            self->write();
        });
    }
    void tell(std::string text) {
        net::dispatch(socket_.get_executor(), [self = shared_from_this(), text = std::move(text)]() mutable {
            if (self->texts_.size() >= most_waiting_texts) return self->close();
            self->texts_.push_back(std::move(text));
            self->write();
        });
    }
    void close() {
        beast::error_code ignored;
        beast::get_lowest_layer(socket_).socket().close(ignored);
    }

private:
    void read() {
        socket_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
            if (error) return;
            std::string const message = beast::buffers_to_string(self->buffer_.data());
            self->buffer_.clear();
            if (self->socket_.got_text() && message == Server::seen) {
                self->unseen_ = std::max(0, self->unseen_ - 1);
                self->write();
                return self->read();
            }
            if (!self->socket_.got_text() || !self->server_.live.take(message)) return self->close();
            self->read();
        });
    }

    // One message is under way at a time: texts in their order, then the newest frame.
    void write() {
        bool const is_text = !texts_.empty();
        if (writing_ || (!is_text && (!frame_ || unseen_ >= most_unseen))) return;
        writing_ = true;
        if (!is_text) ++unseen_;
        auto const message = is_text ? std::make_shared<std::string const>(std::move(texts_.front())) : frame_;
        if (is_text)
            texts_.pop_front();
        else
            frame_ = nullptr;
        socket_.text(is_text);
        socket_.async_write(net::buffer(*message),
                            [self = shared_from_this(), message](beast::error_code error, std::size_t) {
                                self->writing_ = false;
                                if (!error) self->write();
                            });
    }

    Server::Impl& server_;
    websocket::stream<beast::tcp_stream> socket_;
    beast::flat_buffer buffer_{largest_message + 1024};
    std::deque<std::string> texts_;
    std::shared_ptr<std::string const> frame_;  // the newest that has not left
    bool writing_ = false;
    int unseen_ = 0;  // frames that left, and that the page has not answered yet
};

// A connection that speaks HTTP, until it becomes a page.
class Visit : public std::enable_shared_from_this<Visit> {
public:
    Visit(Server::Impl& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {}
    ~Visit() {
        if (!became_page_) --server_.connections;
    }

    void read() {
        request_.emplace();
        request_->header_limit(largest_header);
        request_->body_limit(0);
        stream_.expires_after(patience);
        http::async_read(stream_, buffer_, *request_,
                         [self = shared_from_this()](beast::error_code error, std::size_t) {
                             if (error) return self->close();  // malformed, too large, too slow or gone
                             self->take(self->request_->release());
                         });
    }

private:
    void take(http::request<http::empty_body> const& request) {
        response_ = {};
        auto const host = request.find(http::field::host), origin = request.find(http::field::origin);
        if (request.count(http::field::host) != 1 || !server_.is_this_host(host->value()))
            return refuse(request, http::status::forbidden);
        if (origin != request.end() && !server_.is_own_origin(origin->value()))
            return refuse(request, http::status::forbidden);
        auto const path = server_.path_of(request.target());
        if (same(view(request.target()), "/" + server_.token)) return send_on(request);  // a slash was left out
        if (!path) return refuse(request, http::status::not_found);
        if (request.method() != http::verb::get) return refuse(request, http::status::method_not_allowed);
        if (!websocket::is_upgrade(request)) return answer(request, *path);
        // A page of another site may open a WebSocket to any host: only Origin tells them apart.
        if (*path != "live" || !server_.live.take || origin == request.end())
            return refuse(request, http::status::forbidden);
        became_page_ = true;
        stream_.expires_never();
        std::make_shared<Page>(server_, stream_.release_socket())->begin(request);
    }

    void answer(http::request<http::empty_body> const& request, std::string const& path) {
        Reply reply;
        try {
            reply = server_.answer(path);
        } catch (std::exception const& error) {
            reply = {500, "text/plain; charset=utf-8", std::make_shared<std::string const>(error.what())};
        }
        send(request, reply, request.keep_alive());
    }
    void refuse(http::request<http::empty_body> const& request, http::status status) {
        send(request, {int(status), "text/plain; charset=utf-8", nullptr}, false);
    }

    void send_on(http::request<http::empty_body> const& request) {
        response_.set(http::field::location, "/" + server_.token + "/");
        send(request, {int(http::status::permanent_redirect), "text/plain; charset=utf-8", nullptr}, false);
    }

    void send(http::request<http::empty_body> const& request, Reply const& reply, bool keep) {
        body_ = reply.body ? reply.body : std::make_shared<std::string const>();
        response_.result(static_cast<http::status>(reply.status));
        response_.version(request.version());
        response_.set(http::field::content_type, reply.type);
        response_.set(http::field::cache_control, "no-store");
        response_.set("X-Content-Type-Options", "nosniff");
        response_.set("X-Frame-Options", "DENY");
        response_.set("Referrer-Policy", "no-referrer");
        response_.set("Cross-Origin-Resource-Policy", "same-origin");
        response_.set("Content-Security-Policy",
                      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                      "img-src data: blob:; connect-src 'self'");
        response_.keep_alive(keep);
        response_.body() = *body_;
        response_.prepare_payload();
        stream_.expires_after(patience);
        http::async_write(stream_, response_, [self = shared_from_this(), keep](beast::error_code error, std::size_t) {
            if (error || !keep) return self->close();
            self->read();
        });
    }

    void close() {
        beast::error_code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        stream_.close();
    }

    Server::Impl& server_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_{largest_header + 1024};
    std::optional<http::request_parser<http::empty_body>> request_;
    std::shared_ptr<std::string const> body_;  // lives until it is written
    http::response<http::span_body<char const>> response_;
    bool became_page_ = false;
};

}  // namespace

void Server::Impl::accept() {
    acceptor.async_accept(net::make_strand(context), [this](beast::error_code error, tcp::socket socket) {
        if (!acceptor.is_open()) return;
        if (!error && connections < most_connections) {
            ++connections;
            socket.set_option(tcp::no_delay(true), error);
            std::make_shared<Visit>(*this, std::move(socket))->read();
        }
        accept();
    });
}

// Kept alive while they are spoken to; the last owner of a page takes the mutex.
std::vector<std::shared_ptr<Page>> Server::Impl::present_pages() {
    std::vector<std::shared_ptr<Page>> present;
    std::lock_guard const lock(mutex);
    for (auto const& [key, page] : pages)
        if (auto kept = page.lock()) present.push_back(std::move(kept));
    return present;
}

Server::Server(Answer answer, LiveSide live, int port) : impl_(std::make_unique<Impl>()) {
    impl_->answer = std::move(answer), impl_->live = std::move(live);
    impl_->listen(port);
    impl_->accept();
    for (int k = 0; k < 2; ++k) impl_->threads.emplace_back([impl = impl_.get()] { impl->context.run(); });
}

Server::~Server() {
    impl_->context.stop();
    for (std::thread& thread : impl_->threads) thread.join();
}

std::string Server::address() const {
    return "http://127.0.0.1:" + std::to_string(impl_->port) + "/" + impl_->token + "/";
}

int Server::watchers() const {
    std::lock_guard const lock(impl_->mutex);
    return int(impl_->pages.size());
}

void Server::show(std::shared_ptr<std::string const> frame) {
    {
        std::lock_guard const lock(impl_->mutex);
        impl_->newest = frame;
    }
    for (auto const& page : impl_->present_pages()) page->show(frame);
}

void Server::tell(std::string text) {
    for (auto const& page : impl_->present_pages()) page->tell(text);
}

}  // namespace pliant
