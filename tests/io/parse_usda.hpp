// A small parser of USD text, independent of the writer: one prim, attributes with values or time samples.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <string>
#include <vector>

namespace pliant::test {

struct UsdaAttribute {
    std::string type, metadata, value;  // value without time samples; texts without whitespace
    std::map<int, std::string> samples;
};

struct Usda {
    std::map<std::string, std::string> layer;  // metadata of the layer
    std::string prim_type, prim_name;
    std::map<std::string, UsdaAttribute> attributes;
};

class UsdaParser {
public:
    explicit UsdaParser(std::string const& text) : text_(text) {}

    Usda parse() {
        Usda usda;
        EXPECT_EQ(word(), "#usda");
        EXPECT_EQ(word(), "1.0");
        expect("(");
        while (peek() != ")") {
            std::string const key = word();
            expect("=");
            usda.layer[key] = word();
        }
        expect(")"), expect("def");
        usda.prim_type = word(), usda.prim_name = word();
        expect("{");
        while (!failed_ && peek() != "}") attribute(usda);
        expect("}");
        EXPECT_EQ(peek(), "") << "nothing follows the prim";
        return usda;
    }

private:
    void attribute(Usda& usda) {
        std::string type = word();
        if (type == "uniform") type.append(" ").append(word());
        std::string name = word();
        bool const timed = name.ends_with(".timeSamples");
        if (timed) name.resize(name.size() - 12);
        UsdaAttribute& found = usda.attributes[name];
        EXPECT_TRUE(found.type.empty() || found.type == type) << name;
        found.type = type;
        if (peek() == "=") {
            expect("=");
            if (timed) {
                expect("{");
                while (!failed_ && peek() != "}") {
                    std::string const code = word();
                    expect(":");
                    EXPECT_EQ(found.samples.count(std::stoi(code)), 0u) << name << " has two samples at " << code;
                    found.samples[std::stoi(code)] = value();
                    expect(",");
                }
                expect("}");
            } else {
                found.value = value();
            }
        }
        if (peek() == "(") {
            expect("(");
            while (!failed_ && peek() != ")") found.metadata += word();
            expect(")");
        }
    }

    std::string value() {
        if (peek() != "[") return word();
        std::string text;
        int depth = 0;
        do {
            std::string const next = word();
            depth += next == "[" ? 1 : next == "]" ? -1 : 0;
            text += next;
        } while (depth > 0 && !failed_);
        return text;
    }

    std::string word() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        std::size_t const start = at_;
        std::string const single = "()[]{},=";
        if (at_ >= text_.size()) return failed_ = true, "";
        if (single.find(text_[at_]) != single.npos) return text_.substr(at_++, 1);
        if (text_[at_] == ':') return text_.substr(at_++, 1);
        while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_])) &&
               single.find(text_[at_]) == single.npos) {
            if (text_[at_] == '[' || (text_[at_] == ':' && std::isspace(static_cast<unsigned char>(text_[at_ + 1]))))
                break;
            ++at_;
        }
        std::string result = text_.substr(start, at_ - start);
        if (text_.compare(at_, 2, "[]") == 0) result += "[]", at_ += 2;  // a type
        return result;
    }
    std::string peek() {
        std::size_t const before = at_;
        bool const failed = failed_;
        std::string const result = word();
        at_ = before, failed_ = failed;
        return result;
    }
    void expect(std::string const& text) {
        std::string const found = word();
        if (found != text && !failed_) ADD_FAILURE() << "'" << text << "' expected, found '" << found << "' at " << at_;
        failed_ = failed_ || found != text;
    }

    std::string text_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

inline Usda parse_usda(std::string const& text) { return UsdaParser{text}.parse(); }

inline std::vector<float> numbers(std::string const& value) {
    std::vector<float> result;
    std::string digits;
    for (char const c : value + ",") {
        if (std::string{"()[],"}.find(c) == std::string::npos) {
            digits += c;
        } else if (!digits.empty()) {
            result.push_back(std::stof(digits));
            digits.clear();
        }
    }
    return result;
}

}  // namespace pliant::test
