// The tags of an XML text one after another: all that a VTK header needs. No entities, comments or CDATA, which
// pliant's files have not.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace pliant {

struct XmlTag {
    std::string_view name;  // "/NAME" of a closing one
    std::vector<std::pair<std::string_view, std::string_view>> attributes;
    std::string_view text;  // up to the next tag
    std::optional<std::string_view> attribute(std::string_view key) const;
};

class XmlTags {
public:
    explicit XmlTags(std::string_view xml) : left_(xml) {}
    // The next one; none at the end, and where the text is no XML any more: then broken() is true.
    std::optional<XmlTag> next();
    bool broken() const { return broken_; }

private:
    std::optional<XmlTag> stop();
    std::string_view left_;
    bool broken_ = false;
};

}  // namespace pliant
