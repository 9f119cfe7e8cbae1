#include <pliant/data/error.hpp>
#include <pliant/solvers/method.hpp>

namespace pliant {

std::vector<MethodDescription> const& method_descriptions() {
    static std::vector<MethodDescription> const all = [] {
        std::vector<MethodDescription> list;
        for (Method const& method : methods()) list.push_back(method.description);
        return list;
    }();
    return all;
}

MethodDescription const* find_method(std::string const& word) {
    for (MethodDescription const& method : method_descriptions())
        if (method.word == word) return &method;
    return nullptr;
}

std::unique_ptr<Solver> make_solver(std::string const& word, MethodOptions const* options, Model model, Machine on) {
    for (Method const& method : methods()) {
        if (method.description.word != word) continue;
        std::unique_ptr<MethodOptions> const defaults = method.description.default_options();
        MethodOptions const& chosen = options ? *options : *defaults;
        if (on.gpu < 0) return method.on_cpu(chosen, std::move(model), on.threads);
        if (method.on_gpu == nullptr) throw InputError("this build has no GPU support");
        return method.on_gpu(chosen, std::move(model), on.gpu);
    }
    throw InputError("unknown method '" + word + "'");
}

}  // namespace pliant
