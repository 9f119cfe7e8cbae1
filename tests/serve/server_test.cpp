// The server answers its own page and nobody else, and no input brings it down.
#include <serve/client.hpp>

#include <pliant/data/error.hpp>
#include <pliant/serve/live_messages.hpp>
#include <pliant/serve/server.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

namespace pliant {
namespace {

using test::Client;

class ServedPage : public testing::Test {
protected:
    std::atomic<int> answered{0}, taken{0}, left{0};
    Server server{
        [this](std::string_view path) {
            ++answered;
            return Reply{200, "text/plain", std::make_shared<std::string const>("here: " + std::string(path))};
        },
        {[] { return std::string("hello"); },
         [this](std::string_view text) { return live_message(text) ? ++taken, true : false; }, [this] { ++left; }},
        0};
    std::string const address = server.address();
    std::string const host = address.substr(7, address.find('/', 7) - 7);
    int const port = std::stoi(host.substr(host.find(':') + 1));
    std::string const token = address.substr(address.find('/', 7) + 1, 32);

    std::string ask(std::string const& request) const {
        Client client(port);
        client.say(request);
        client.say_no_more();
        return client.hear();
    }
    std::string get(std::string const& path, std::string const& of_host, std::string const& more = "") const {
        return ask("GET " + path + " HTTP/1.1\r\nHost: " + of_host + "\r\nConnection: close\r\n" + more + "\r\n");
    }
    std::string upgrade(std::string const& origin) const {
        return "GET /" + token + "/live HTTP/1.1\r\nHost: " + host + "\r\n" + origin +
               "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    }
};

// A frame of a client: masked with zeros, so that its bytes are those of the message.
std::string client_frame(std::string const& payload, int opcode = 1) {
    std::string frame{char(0x80 | opcode)};
    if (payload.size() < 126)
        frame += char(0x80 | payload.size());
    else
        frame += std::string{char(0x80 | 126), char(payload.size() >> 8), char(payload.size() & 255)};
    return frame + std::string(4, '\0') + payload;
}

TEST_F(ServedPage, AnswersItsOwnAddress) {
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    std::string const reply = get("/" + token + "/runs/0/info", host);
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 200")) << reply;
    EXPECT_TRUE(reply.ends_with("here: runs/0/info")) << reply;
    EXPECT_NE(reply.find("Content-Security-Policy"), std::string::npos);
}

TEST_F(ServedPage, RefusesAnotherTokenHostOriginOrMethod) {
    std::string wrong = token;
    wrong[7] = wrong[7] == '0' ? '1' : '0';
    EXPECT_TRUE(get("/" + wrong + "/", host).starts_with("HTTP/1.1 404"));
    EXPECT_TRUE(get("/", host).starts_with("HTTP/1.1 404"));
    std::string const own = "/" + token + "/";
    EXPECT_TRUE(get(own, "evil.example").starts_with("HTTP/1.1 403"));
    EXPECT_TRUE(get(own, "evil.example:" + std::to_string(port)).starts_with("HTTP/1.1 403"));
    EXPECT_TRUE(get(own, host, "Host: " + host + "\r\n").starts_with("HTTP/1.1 403"));
    EXPECT_TRUE(get(own, host, "Origin: http://evil.example\r\n").starts_with("HTTP/1.1 403"));
    EXPECT_TRUE(get(own, host, "Origin: null\r\n").starts_with("HTTP/1.1 403"));
    EXPECT_TRUE(ask("PUT " + own + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n").starts_with("HTTP/1.1 405"));
    EXPECT_EQ(answered, 0);
}

TEST_F(ServedPage, SendsOnWhoLeftOutTheLastSlash) {
    std::string const reply = get("/" + token, host);
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 308")) << reply;
    EXPECT_NE(reply.find("Location: /" + token + "/\r\n"), std::string::npos) << reply;
    EXPECT_EQ(get("/" + token + "/", host).find("Location"), std::string::npos);
}

TEST_F(ServedPage, OpensAWebSocketOnlyToItsOwnOrigin) {
    EXPECT_TRUE(ask(upgrade("")).starts_with("HTTP/1.1 403"));
    EXPECT_TRUE(ask(upgrade("Origin: http://evil.example\r\n")).starts_with("HTTP/1.1 403"));
    Client client(port);
    client.say(upgrade("Origin: http://" + host + "\r\n"));
    std::string const reply = client.hear(500);
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 101")) << reply;
    EXPECT_TRUE(reply.ends_with(std::string("\x81\x05hello"))) << reply;
}

TEST_F(ServedPage, ClosesOnAMessageThatIsNone) {
    for (std::string const& message : {client_frame("{"), client_frame(R"({"do":"fly"})"), client_frame("x", 2),
                                       client_frame(std::string(5000, ' ')), std::string(16, char(0xff))}) {
        Client client(port);
        client.say(upgrade("Origin: http://" + host + "\r\n"));
        client.hear(200);
        client.say(message);
        client.hear(5000);
        EXPECT_TRUE(client.closed());
    }
    EXPECT_EQ(taken, 0);
}

TEST_F(ServedPage, SaysWhenAPageHasGone) {
    {
        Client page(port);
        page.say(upgrade("Origin: http://" + host + "\r\n"));
        while (server.watchers() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_EQ(left, 0);
    }
    for (int k = 0; k < 2000 && left == 0; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(left, 1);
}

// A page that does not read holds up nobody: 2,000 frames of 1 MB would fill 2 GB, and take as long to send.
TEST_F(ServedPage, NeverWaitsForAPage) {
    Client lazy(port);
    lazy.say(upgrade("Origin: http://" + host + "\r\n"));
    while (server.watchers() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    auto const frame = std::make_shared<std::string const>(1 << 20, 'x');
    auto const begun = std::chrono::steady_clock::now();
    for (int k = 0; k < 2000; ++k) server.show(frame);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(1));
}

// Counts frames of three bytes, "xyz", in what a page hears.
int frames_in(std::string const& bytes) {
    int count = 0;
    for (std::size_t at = 0; (at = bytes.find("\x82\x03xyz", at)) != std::string::npos; ++at) ++count;
    return count;
}

TEST_F(ServedPage, SendsNoMoreThanTwoFramesAheadOfAPage) {
    Client page(port);
    page.say(upgrade("Origin: http://" + host + "\r\n"));
    while (server.watchers() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (int k = 0; k < 20; ++k) {
        server.show(std::make_shared<std::string const>("xyz"));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(frames_in(page.hear(500)), 2);
    page.say(client_frame(std::string(Server::seen)));
    EXPECT_EQ(frames_in(page.hear(500)), 1);  // the newest, once
    EXPECT_EQ(taken, 0);
}

// Ten thousand requests and messages, each a damaged one: bytes replaced, cut off or repeated.
TEST_F(ServedPage, SurvivesTenThousandMalformedRequestsAndMessages) {
    std::mt19937 random(7);
    auto const damaged = [&](std::string text) {
        for (unsigned k = 0, count = 1 + random() % 8; k < count && !text.empty(); ++k) {
            std::size_t const at = random() % text.size();
            if (unsigned const kind = random() % 4; kind == 0)
                text[at] = char(random());
            else if (kind == 1)
                text.resize(at);
            else if (kind == 2)
                text.insert(at, text.substr(at, random() % 64));
            else
                text.insert(at, std::string(random() % 32, char(random())));
        }
        return text;
    };
    std::string const request = "GET /" + token + "/runs/0/frames/1 HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    std::string const word = R"({"do":"hand","number":3,"grab":{"particle":5,"radius":0.1,"target":[1,2,3]}})";
    std::string const own_upgrade = upgrade("Origin: http://" + host + "\r\n");
    for (int k = 0; k < 10000; ++k) {
        Client client(port);
        ASSERT_TRUE(client.connected()) << k;
        if (k % 2 == 0) {
            client.say(damaged(request));
        } else {
            client.say(k % 4 == 1 ? own_upgrade : damaged(own_upgrade));
            std::string const message = client_frame(damaged(word));
            client.say(k % 8 < 4 ? message : damaged(message));
        }
        client.say_no_more();
        if (k % 50 == 0) client.hear(300);
        live_message(damaged(word));
    }
    EXPECT_TRUE(get("/" + token + "/", host).starts_with("HTTP/1.1 200"));
}

TEST(Server, NamesAPortThatIsInUse) {
    auto const answer = [](std::string_view) { return Reply{}; };
    Server const first(answer, {}, 0);
    std::string const address = first.address();
    int const port = std::stoi(address.substr(address.find(':', 7) + 1));
    try {
        Server const second(answer, {}, port);
        FAIL();
    } catch (InputError const& error) {
        EXPECT_NE(std::string(error.what()).find("--port: cannot listen on port " + std::to_string(port)),
                  std::string::npos);
    }
}

TEST(LiveMessage, IsReadOrRefused) {
    auto const hand = live_message(R"({"do":"hand","number":9,"grab":{"particle":5,"radius":0.25,"target":[1,2,3]}})");
    ASSERT_TRUE(hand && hand->hand.grab);
    EXPECT_EQ(hand->number, 9u);
    EXPECT_EQ(hand->hand.grab->particle, 5u);
    EXPECT_EQ(hand->hand.grab->target, (Vec3d{1, 2, 3}));
    auto const stress = live_message(R"({"do":"stress"})");
    ASSERT_TRUE(stress);
    EXPECT_EQ(stress->kind, LiveMessage::Kind::stress);
    for (char const* text :
         {"", "[]", "{}", "null", "{\"do\":7}", R"({"do":"set","key":"a"})", R"({"do":"set","key":"a","value":null})",
          R"({"do":"hand","number":1,"grab":{"particle":-1,"radius":1,"target":[0,0,0]}})",
          R"({"do":"hand","number":1,"grab":{"particle":1,"radius":1,"target":[0,0,1e9]}})",
          R"({"do":"hand","number":1,"ball":{"center":[0,0,0],"toward":[0,0,2]}})",
          R"({"do":"hand","number":1,"grab":{"particle":1,"radius":1,"target":[0,0]}})", "[[[[[[[[[[]]]]]]]]]]"})
        EXPECT_FALSE(live_message(text)) << text;
}

}  // namespace
}  // namespace pliant
