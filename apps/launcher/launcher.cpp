// bin/pliant of the tarball: starts libexec/pliant with the C library and loader that lie beside it in lib/.
//
// The program is built on Debian 12 and needs its glibc (2.36). With the loader in the tarball it also runs where glibc
// is older (RHEL 9, Ubuntu 22.04) or missing (Alpine), and rounds sines and roots the same everywhere. Rejected: an
// RPATH of $ORIGIN/../lib, since a program's loader can only be named by an absolute path; a shell script, since there
// may be no shell; LD_LIBRARY_PATH, which ffmpeg would inherit. This launcher is static and needs nothing.
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int failed = 3;  // as in apps/pliant/commands.hpp

int complain(std::string const& message) {
    std::fprintf(stderr, "pliant: %s\n", message.c_str());
    return failed;
}

// The folder above bin/, whatever links lead there; empty when it cannot be found.
std::string own_prefix() {
    char path[PATH_MAX];
    // Without /proc, the name that the kernel was given.
    auto const* const given = reinterpret_cast<char const*>(getauxval(AT_EXECFN));
    if (realpath("/proc/self/exe", path) == nullptr && (given == nullptr || realpath(given, path) == nullptr))
        return "";
    for (int level = 0; level < 2; ++level)
        if (char* const slash = std::strrchr(path, '/')) *slash = '\0';
    return path;
}

}  // namespace

int main(int argc, char** argv) {
#ifdef PLIANT_NEEDS_V3
    if (!__builtin_cpu_supports("x86-64-v3"))
        return complain(
            "this processor is too old: AVX2 and FMA are needed (Intel since 2013, AMD since 2015); on an older one, "
            "build from source with -DPLIANT_ARCH=x86-64");
#endif
    std::string const prefix = own_prefix();
    if (prefix.empty()) return complain("cannot tell where this program lies; start it by its full path");
    if (prefix.find_first_of(":;$") != std::string::npos)  // the loader takes them for separators and variables
        return complain("the folder '" + prefix + "' has one of : ; $ in its name; move it to another");

    std::string const loader = prefix + "/lib/ld-linux-x86-64.so.2", libraries = prefix + "/lib",
                      program = prefix + "/libexec/pliant";
    std::vector<char const*> words{loader.c_str(), "--argv0", argc > 0 ? argv[0] : "pliant"};
    words.insert(words.end(), {"--library-path", libraries.c_str(), program.c_str()});
    for (int k = 1; k < argc; ++k) words.push_back(argv[k]);
    words.push_back(nullptr);
    execv(loader.c_str(), const_cast<char* const*>(words.data()));
    return complain("cannot start '" + loader + "': " + std::strerror(errno) + "; unpack the tarball again");
}
