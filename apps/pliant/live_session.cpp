#include "live_session.hpp"

#include "browser.hpp"
#include "interruption.hpp"

#include <pliant/data/error.hpp>
#include <pliant/io/input.hpp>
#include <pliant/serve/pack.hpp>
#include <pliant/setup/make_scenery.hpp>

#include <algorithm>
#include <charconv>

namespace pliant::app {

namespace {

constexpr std::size_t most_messages = 1000;  // that wait for a frame to end
constexpr auto stress_lasts = std::chrono::milliseconds(2500);

using Kind = LiveMessage::Kind;

}  // namespace

LiveSession::LiveSession(std::filesystem::path folder, int port, bool alone)
    : folder_(std::move(folder)),
      alone_(alone),
      server_(
          [this](std::string_view path) { return answer(path); },
          {[this] { return greeting(); }, [this](std::string_view text) { return take(text); }, [this] { let_go(); }},
          port) {}

void LiveSession::begin(Scene const& scene, Simulation const& simulation) {
    scene_ = scene;
    scenery_ = make_scenery(scene);
    ball_radius_ = 0;
    if (!scene.colliders.empty() && scene.colliders.back().name == Hand::ball_name) {
        ball_radius_ = std::get<SphereShape>(scene.colliders.back().shape).radius;
        scenery_.colliders.pop_back();
    }
    interactions_.emplace(folder_ / "scene.toml", std::vector<std::string>{});
    recording_.emplace(folder_ / "recording.jsonl", scene.fps, read_bytes(folder_ / "scene.toml"));
    summary_ = simulation.summary();
    fields_ = field_names(simulation.frame().channels);
    std::vector<std::shared_ptr<std::string const>> packed;
    auto const meshes = collider_meshes(scene);
    for (SceneryCollider const& collider : scenery_.colliders) {
        packed.push_back(nullptr);
        for (auto const& [name, mesh] : meshes)
            if (name == collider.mesh) packed.back() = std::make_shared<std::string const>(pack_mesh(mesh));
    }
    begins_again_ = false, has_stress_ = true;
    due_ = Clock::now();
    {
        std::lock_guard const lock(mutex_);
        keys_ = live_keys(scene);
        collider_meshes_ = std::move(packed);
        messages_.clear();
        state_ = {};
        info_ = info_of(simulation);
    }
    server_.tell(greeting());
    show(simulation.frame(), simulation);
}

std::string LiveSession::info_of(Simulation const& simulation) const {
    return live_info({scenery_, simulation.frame(), *summary_, keys_, fields_, ball_radius_, alone_}, state_);
}

// A page that comes later is greeted with what holds by then.
void LiveSession::tell_state(Simulation const& simulation, std::string const& trouble) {
    std::string state;
    {
        std::lock_guard const lock(mutex_);
        state = live_state({state_.playing, trouble}, keys_);
        info_ = info_of(simulation);
    }
    server_.tell(std::move(state));
}

std::string LiveSession::greeting() const {
    std::lock_guard const lock(mutex_);
    return info_;
}

Reply LiveSession::answer(std::string_view path) const {
    if (path.empty()) return page_reply("live", 1);
    constexpr std::string_view start = "runs/0/colliders/";
    std::size_t number = 0;
    std::lock_guard const lock(mutex_);
    if (path.starts_with(start) &&
        std::from_chars(path.data() + start.size(), path.data() + path.size(), number).ptr ==
            path.data() + path.size() &&
        number < collider_meshes_.size() && collider_meshes_[number])
        return {200, "application/octet-stream", collider_meshes_[number]};
    return {404, "text/plain; charset=utf-8", nullptr};
}

// On a thread of the server.
bool LiveSession::take(std::string_view text) {
    auto message = live_message(text);
    if (!message) return false;
    std::lock_guard const lock(mutex_);
    if (message->kind == Kind::set &&
        std::none_of(keys_.begin(), keys_.end(), [&](LiveKey const& key) { return key.key == message->key; }))
        return false;
    // Of several words about the hand between two frames only the last counts.
    if (!messages_.empty() && message->kind == Kind::hand && messages_.back().kind == Kind::hand) messages_.pop_back();
    if (messages_.size() >= most_messages) return false;
    if (message->kind == Kind::hand) hand_number_ = message->number;
    messages_.push_back(std::move(*message));
    said_.notify_all();
    return true;
}

// On a thread of the server. Nobody would let go of what a page that has gone still holds.
void LiveSession::let_go() {
    LiveMessage message;
    message.kind = Kind::hand;
    std::lock_guard const lock(mutex_);
    message.number = hand_number_;
    messages_.push_back(std::move(message));
    said_.notify_all();
}

void LiveSession::obey(LiveMessage const& message, Simulation& simulation) {
    int const frame = simulation.frame_index();
    if (message.kind == Kind::hand) {
        seen_ = message.number;
        if (message.hand == interactions_->hand()) return;
        Interaction const interaction{frame, message.hand, ""};
        recording_->add(interaction);
        interactions_->apply(simulation, interaction);
    } else if (message.kind == Kind::set) {
        set(message, simulation);
    } else if (message.kind == Kind::restart) {
        begins_again_ = alone_;
    } else if (message.kind == Kind::stress) {
        stress_until_ = Clock::now() + stress_lasts;
        if (has_stress_) return;
        offer_stress(simulation);
        show(simulation.frame(), simulation);
    } else {
        state_.playing = message.kind == Kind::play;
        steps_asked_ += message.kind == Kind::step ? 1 : 0;
        due_ = Clock::now();
        tell_state(simulation, "");
    }
}

void LiveSession::set(LiveMessage const& message, Simulation& simulation) {
    std::unique_lock lock(mutex_);
    auto const before = keys_;
    auto const set = override_of(scene_, keys_, message.key, message.value, simulation.frame_index() / scene_.fps);
    lock.unlock();
    if (!set) return;
    Interaction const interaction{simulation.frame_index(), {}, *set};
    std::string trouble;
    try {
        interactions_->apply(simulation, interaction);
        recording_->add(interaction);
        due_ = Clock::now();
    } catch (InputError const& error) {  // the values do not go together
        trouble = error.what();
        lock.lock();
        keys_ = before;
        lock.unlock();
    }
    tell_state(simulation, trouble);
}

// To take its time only for a page that shows it.
void LiveSession::offer_stress(Simulation& simulation) {
    bool const wanted = !alone_ || Clock::now() < stress_until_;
    if (wanted != has_stress_) simulation.offer_stress(wanted);
    has_stress_ = wanted;
}

bool LiveSession::before_frame(Simulation& simulation) {
    std::atomic<bool> const& interrupted = watch_for_interruption();
    std::unique_lock lock(mutex_);
    for (;;) {
        while (!messages_.empty()) {
            LiveMessage const message = std::move(messages_.front());
            messages_.pop_front();
            lock.unlock();
            obey(message, simulation);
            lock.lock();
        }
        if (interrupted || begins_again_) return false;
        bool const due = state_.playing && Clock::now() >= due_;
        if (due || steps_asked_ > 0) break;
        auto const soon = Clock::now() + std::chrono::milliseconds(50);
        said_.wait_until(lock, state_.playing ? std::min(soon, due_) : soon);
    }
    lock.unlock();
    if (steps_asked_ > 0) --steps_asked_;
    // A frame that was late does not make later ones hurry.
    auto const length = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / scene_.fps));
    due_ = std::max(due_ + length, Clock::now());
    offer_stress(simulation);
    interactions_->before_frame(simulation);
    return true;
}

void LiveSession::show(Frame const& frame, Simulation const& simulation) {
    std::optional<Vec3d> ball;
    if (interactions_->hand().ball) ball = simulation.ball();
    server_.show(std::make_shared<std::string const>(pack_frame(frame, live_header(scenery_, frame, ball, seen_))));
}

void LiveSession::fail(std::string const& trouble, Simulation const& simulation) {
    state_ = {false, trouble};
    tell_state(simulation, trouble);
    std::atomic<bool> const& interrupted = watch_for_interruption();
    std::unique_lock lock(mutex_);
    while (!interrupted && !begins_again_) {
        for (; !messages_.empty(); messages_.pop_front())
            begins_again_ = begins_again_ || (alone_ && messages_.front().kind == Kind::restart);
        said_.wait_for(lock, std::chrono::milliseconds(50));
    }
}

void LiveSession::end(int frame) { recording_->end(frame); }

}  // namespace pliant::app
