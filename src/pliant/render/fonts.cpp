#include <fontconfig/fontconfig.h>

#include <pliant/render/fonts.hpp>

namespace pliant::render {

bool use_fonts(std::filesystem::path const& folder) {
    FcConfig* const fonts = FcConfigCreate();
    if (fonts == nullptr) return false;
    bool found = false;
    std::error_code error;  // a missing folder has no fonts
    for (std::filesystem::directory_entry const& entry : std::filesystem::directory_iterator{folder, error})
        if (entry.path().extension() == ".ttf")
            found |= FcConfigAppFontAddFile(fonts, reinterpret_cast<FcChar8 const*>(entry.path().c_str())) == FcTrue;
    bool const used = found && FcConfigSetCurrent(fonts) == FcTrue;  // which keeps its own reference
    FcConfigDestroy(fonts);
    return used;
}

}  // namespace pliant::render
