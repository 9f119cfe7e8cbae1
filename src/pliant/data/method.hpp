// How a method describes itself: its word in the scene file, its options, and what it can do. Code that reads a scene,
// writes its canonical text, checks the documentation or compares methods uses this description and knows no method by
// name. A method's own file (solvers/<method>/method.hpp) is the only place that lists its options.
#pragma once

#include <pliant/data/limits.hpp>
#include <pliant/materials/parameters.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pliant {

// Visits the options of a method one by one, in the order of the documentation: it may read a value from a file, write
// it, or print its meaning. A meaning is a phrase without the key, the range or the default.
class OptionVisitor {
public:
    virtual ~OptionVisitor() = default;
    virtual void number(char const* key, double& value, Limits const& limits, char const* meaning) = 0;
    virtual void integer(char const* key, int& value, int low, int high, char const* meaning) = 0;
    virtual void flag(char const* key, bool& value, char const* meaning) = 0;
    virtual void word(char const* key, int& value, std::vector<std::string> const& words, char const* meaning) = 0;
    // A number without a key of its own, which follows from the other options but not only from those visited.
    virtual void derived(char const*, double) {}

    template <class Enum>
    void choice(char const* key, Enum& value, std::vector<std::string> const& words, char const* meaning) {
        int number = static_cast<int>(value);  // words are in the order of the enumerators
        word(key, number, words, meaning);
        value = static_cast<Enum>(number);
    }
};

// A value that is incompatible with others. The reader of the file adds its location.
class OptionError : public std::runtime_error {
public:
    OptionError(std::string key, std::string const& why) : std::runtime_error(why), key_(std::move(key)) {}
    std::string const& key() const { return key_; }

private:
    std::string key_;
};

// The options of a method: [solver] in the scene file. A method derives a struct that holds its defaults.
struct MethodOptions {
    virtual ~MethodOptions() = default;
    virtual std::unique_ptr<MethodOptions> copy() const = 0;
    virtual void visit(OptionVisitor&) = 0;
    // After reading: sets defaults that depend on other options. given(key) tells whether the scene has that key.
    // Throws OptionError for incompatible options.
    struct Given {
        virtual ~Given() = default;
        virtual bool operator()(char const* key) const = 0;
    };
    virtual void settle(Given const&) {}
    // Throws OptionError with the key of a material property that this method does not support with these options.
    virtual void check(MaterialParameters const&) const {}
    // Throws OptionError if bonds cannot be severed with these options; key: what asks for it.
    virtual void check_cuts(char const*) const {}
    // The same for a key that asks for the forces between bodies.
    virtual void check_pair_forces(char const*) const {}
    // Throws OptionError if bodies cannot be restrained with these options.
    virtual void check_restraint() const {}
    // A warning about this material, or nothing: " has no effect with ...".
    virtual std::string warning(MaterialParameters const&) const { return ""; }
    // The share of the largest stable step that is used if the scene gives no step.
    virtual double stable_share() const { return 1; }
    // The number of parts into which a step of the scene is divided; 0: as many as the stable step asks for.
    virtual int substeps() const { return 1; }
    // Whether a step longer than the stable one does no harm but to accuracy.
    virtual bool long_steps_are_stable() const { return false; }
    // What a user can change when steps keep failing: "try ...".
    virtual std::string advice() const { return "a softer material"; }
    // What a user can change in the options when bodies come apart, before other things: "more solver.viscosity, ".
    virtual std::string remedy() const { return ""; }
};

struct MethodDescription {
    std::string word;     // method = "word" in the scene file
    std::string summary;  // one line: what it is, and its source
    bool stable_step;     // there is a largest stable step, which the solver can compute; else any step is stable
    bool squared_stretches = false;  // supports materials with stretches = "squared"
    bool compaction = false;         // supports stiffness against compaction
    bool fibres = false;             // supports materials with fibres
    bool cuts = false;               // has bonds that can be severed, by [[cuts]] or where a material tears
    bool additive_strain = false;    // supports plastic strains that add up: plasticity = "von-mises-additive"
    bool rest_shape = false;         // bodies return to the shape that they were given
    bool damping = false;            // supports materials with damping
    bool fluid = false;              // matter is a fluid: materials have a viscosity, not an elasticity
    bool cloth = false;              // matter is thin: bodies are the surfaces of their shapes
    bool restraint = false;          // particles can be restrained: [restraint]
    bool stress = false;             // frames can hold the stress of particles
    bool pair_forces = false;        // the forces between bodies are known
    bool statics = false;            // can find a state of rest without going through time
    // What a free body that spins at omega [rad/s] loses of it per step dt, in units of omega (omega dt)^2; 1 for
    // implicit Euler. It holds for the default options.
    double spin_loss = 0;
    double energy_gain = 0;  // the most that an impact adds to the energy, as a share of the energy of the impact
    // Why a method does not do what the tests of all methods expect; empty: it does.
    std::string loses_spin = "";      // the spin of a free body does not last
    std::string keeps_swinging = "";  // a body that is set down swings about its sag for long
    std::unique_ptr<MethodOptions> (*default_options)();
};

// All methods of this build, the default one first (solvers/).
std::vector<MethodDescription> const& method_descriptions();
MethodDescription const* find_method(std::string const& word);  // null: none

// The options of a scene's method: a value, like the rest of the scene.
class ChosenOptions {
public:
    ChosenOptions() = default;
    ChosenOptions(std::unique_ptr<MethodOptions> options) : options_(std::move(options)) {}
    ChosenOptions(ChosenOptions const& other) : options_(other.options_ ? other.options_->copy() : nullptr) {}
    ChosenOptions(ChosenOptions&&) noexcept = default;
    ChosenOptions& operator=(ChosenOptions other) noexcept {
        std::swap(options_, other.options_);
        return *this;
    }

    explicit operator bool() const { return options_ != nullptr; }
    MethodOptions const& operator*() const { return *options_; }
    MethodOptions const* operator->() const { return options_.get(); }
    // As the options of a given method; throws std::bad_cast if the scene has another.
    template <class Options>
    Options const& as() const {
        return dynamic_cast<Options const&>(*options_);
    }
    template <class Options>
    Options& as() {
        return dynamic_cast<Options&>(*options_);
    }

private:
    std::unique_ptr<MethodOptions> options_;
};

}  // namespace pliant
