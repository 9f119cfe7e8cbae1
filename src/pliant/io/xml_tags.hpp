// The tags of an XML text one after another: all that a VTK header needs. Without entities, comments and CDATA, which
// pliant's files do not contain.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace pliant {

struct XmlTag {
    std::string_view name;  // "/NAME" for a closing tag
    std::vector<std::pair<std::string_view, std::string_view>> attributes;
    std::string_view text;  // up to the next tag
    std::optional<std::string_view> attribute(std::string_view key) const;
};

class XmlTags {
public:
    explicit XmlTags(std::string_view xml) : left_(xml) {}
    // The next tag; none at the end, or where the text is not XML: then broken() is true.
    std::optional<XmlTag> next();
    bool broken() const { return broken_; }

private:
    std::optional<XmlTag> stop();
    std::string_view left_;
    bool broken_ = false;
};

}  // namespace pliant
