// [solver]: each method has its own options. A new method adds its struct to SolverOptions (scene.hpp), a row to the
// table below and a `write` to canonical.cpp.
#include <pliant/scene/fields.hpp>
#include <pliant/scene/read_parts.hpp>

#include <algorithm>

namespace pliant {
namespace {

struct MethodReader {
    std::string method;
    std::vector<std::string> keys;
    SolverOptions (*read)(Fields const&);
};

void read_rest(Fields const& fields, RestOptions& options) {
    fields.read("rest", options.rest, words::rest);
    fields.read("radius", options.radius, between(1.2, 6));
    fields.read("order", options.order, 1, 2);
    options.zero_energy = options.rest == "updated" ? 0 : options.order == 2 ? 1.5 : 3;
    options.zero_energy_flowing = options.rest == "updated" ? 0 : options.order == 2 ? 1.5 : 0.1;
    fields.read("zero_energy", options.zero_energy, at_least(0));
    if (fields.find("zero_energy")) options.zero_energy_flowing = options.zero_energy;
    if (options.rest == "updated" && options.zero_energy > 0)
        fail(*fields.find("zero_energy"),
             "must be 0 (or left out) with rest = \"updated\"; the control needs rest = \"bonds\"");
    if (options.rest == "updated" && options.order == 2)
        fail(*fields.find("order"), "must be 1 with rest = \"updated\"; second order needs rest = \"bonds\"");
}

SolverOptions read_implicit(Fields const& fields) {
    ImplicitOptions options;
    fields.read("tolerance", options.tolerance, inside(0, 1));
    read_rest(fields, options);
    fields.read("relinearize", options.relinearize, 0, 20);
    fields.read("max_iterations", options.max_iterations, 1, 1'000'000);
    fields.read("integrator", options.integrator, words::integrator);
    fields.read("coarse", options.coarse, words::coarse);
    return options;
}

SolverOptions read_explicit(Fields const& fields) {
    ExplicitOptions options;
    read_rest(fields, options);
    fields.read("safety", options.safety, inside(0, 1));
    return options;
}

SolverOptions read_gerszewski(Fields const& fields) {
    GerszewskiOptions options;
    fields.read("neighbors", options.neighbors, 0, 1000);
    if (options.neighbors > 0 && options.neighbors < 6)
        fail(*fields.find("neighbors"), "must be 0 (all within the radius) or at least 6; fewer say nothing of F");
    fields.read("radius", options.radius, between(1.2, 6));
    fields.read("pressure", options.pressure);
    fields.read("viscosity", options.viscosity, at_least(0));
    fields.read("strain", options.strain, words::strain);
    fields.read("safety", options.safety, inside(0, 1));
    return options;
}

std::vector<MethodReader> const& readers() {
    static std::vector<MethodReader> const all{
        {"implicit",
         {"tolerance", "rest", "radius", "order", "zero_energy", "relinearize", "max_iterations", "integrator",
          "coarse"},
         read_implicit},
        {"explicit", {"rest", "radius", "order", "zero_energy", "safety"}, read_explicit},
        {"gerszewski", {"neighbors", "radius", "pressure", "viscosity", "strain", "safety"}, read_gerszewski},
    };
    return all;
}

bool takes(MethodReader const& reader, std::string const& key) {
    return std::find(reader.keys.begin(), reader.keys.end(), key) != reader.keys.end();
}

// A key that this method does not have, but others do.
void refuse_keys_of_others(Value const& table, MethodReader const& mine) {
    for (Value const& child : table.children) {
        if (takes(mine, child.name)) continue;
        std::vector<std::string> others;
        for (MethodReader const& reader : readers())
            if (takes(reader, child.name)) others.push_back("\"" + reader.method + "\"");
        if (!others.empty())
            fail(child, std::string{"is an option of method = "} + joined(others) + ", not of \"" + mine.method +
                            "\"; allowed: " + joined(mine.keys));
    }
}

}  // namespace

SolverOptions read_solver(Value const* table, std::string const& method) {
    Value const nothing;
    for (MethodReader const& reader : readers()) {
        if (reader.method != method) continue;
        Value const& given = table ? *table : nothing;
        refuse_keys_of_others(given, reader);
        return reader.read(Fields(given, reader.keys));
    }
    return {};
}

}  // namespace pliant
