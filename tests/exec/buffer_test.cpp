// Buffers: their alignment, what a resize keeps, and that no old contents remain.
#include <pliant/exec/buffer.hpp>
#include <pliant/math/vec4.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace pliant {
namespace {

constexpr std::uintptr_t cache_line = 64;  // [bytes]

template <class T>
bool starts_a_cache_line(Buffer<T> const& buffer) {
    return reinterpret_cast<std::uintptr_t>(buffer.data()) % cache_line == 0;
}

TEST(Buffer, StartsEmpty) {
    Buffer<int> const buffer;
    EXPECT_EQ(buffer.size(), 0u);
    EXPECT_EQ(buffer.bytes(), 0u);
    EXPECT_TRUE(buffer.span().empty());
}

TEST(Buffer, LiesOnACacheLineWhateverItHolds) {
    for (std::size_t size : {1, 3, 17, 1000, 100003}) {  // odd sizes shift what the allocator returns next
        EXPECT_TRUE(starts_a_cache_line(Buffer<char>(size)));
        EXPECT_TRUE(starts_a_cache_line(Buffer<float>(size)));
        EXPECT_TRUE(starts_a_cache_line(Buffer<Vec4>(size)));
        EXPECT_TRUE(starts_a_cache_line(Buffer<Columns>(size)));
    }
}

TEST(Buffer, IsMadeAnewInWhateverSizeIsAskedFor) {
    Buffer<int> buffer(10);
    for (std::size_t size : {1000, 3, 0, 5000}) {
        buffer.remake(size);
        ASSERT_EQ(buffer.size(), size);
        EXPECT_TRUE(starts_a_cache_line(buffer));
        std::fill(buffer.span().begin(), buffer.span().end(), 7);  // all of it can be written
    }
    EXPECT_EQ(buffer.bytes(), 5000 * sizeof(int));
}

TEST(Buffer, GrowsKeepingWhatItHeldAndZeroingTheRest) {
    Buffer<int> buffer(100);
    for (int value : buffer.span()) EXPECT_EQ(value, 0);
    std::iota(buffer.span().begin(), buffer.span().end(), 1);
    buffer.resize(1000);  // more than any allocator would extend in place
    ASSERT_EQ(buffer.size(), 1000u);
    EXPECT_TRUE(starts_a_cache_line(buffer));
    for (int i = 0; i < 100; ++i) EXPECT_EQ(buffer[std::size_t(i)], i + 1);
    for (std::size_t i = 100; i < 1000; ++i) EXPECT_EQ(buffer[i], 0);
}

TEST(Buffer, ZeroesEntriesThatItHeldBeforeItShrank) {
    Buffer<int> buffer(10);
    for (int& value : buffer.span()) value = 7;
    int const* const place = buffer.data();
    buffer.resize(4);
    EXPECT_EQ(buffer.size(), 4u);
    buffer.resize(10);
    EXPECT_EQ(buffer.data(), place);  // memory is kept for growing again
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(buffer[i], i < 4 ? 7 : 0);
}

TEST(Buffer, CountsTheBytesItHolds) {
    Buffer<Vec4> buffer(10);
    EXPECT_EQ(buffer.bytes(), 160u);  // 10 times 16
    buffer.resize(2);
    EXPECT_EQ(buffer.bytes(), 160u);  // still held
    buffer.resize(20);
    EXPECT_EQ(buffer.bytes(), 320u);
}

TEST(Buffer, SwapsContentsSizesAndRoomToGrow) {
    Buffer<int> a(3), b(5);
    a[0] = 1;
    b[4] = 2;
    int const *const in_a = a.data(), *const in_b = b.data();
    swap(a, b);
    EXPECT_EQ(a.data(), in_b);
    EXPECT_EQ(b.data(), in_a);
    EXPECT_EQ(a.size(), 5u);
    EXPECT_EQ(b.size(), 3u);
    EXPECT_EQ(a[4], 2);
    EXPECT_EQ(b[0], 1);
    b.resize(5);  // would write past its end if the capacities had not been swapped
    EXPECT_EQ(b[0], 1);
    EXPECT_EQ(b[4], 0);
}

TEST(Buffer, HandsItsContentsOverWhenMoved) {
    Buffer<int> a(3);
    a[2] = 5;
    int const* const place = a.data();
    Buffer<int> const b = std::move(a);
    EXPECT_EQ(b.data(), place);
    EXPECT_EQ(b.size(), 3u);
    EXPECT_EQ(b[2], 5);
}

// Otherwise span() of a moved-from buffer would point to null, and resize() within the old size would write through it.
TEST(Buffer, IsEmptyAfterBeingMovedFrom) {
    Buffer<int> a(3);
    Buffer<int> const b = std::move(a);
    EXPECT_EQ(a.size(), 0u);
    EXPECT_EQ(a.bytes(), 0u);
}

}  // namespace
}  // namespace pliant
