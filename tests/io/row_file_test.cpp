// Tables that grow: whole rows, in order, each once.
#include <pliant/io/row_file.hpp>
#include <pliant/io/write_bodies.hpp>

#include <gtest/gtest.h>
#include <io/fixtures.hpp>

namespace pliant::test {
namespace {

std::string rows(int first, int last) {
    std::string all;
    for (int frame = first; frame <= last; ++frame)
        for (char const* name : {"a", "b"}) all += std::to_string(frame) + "," + name + ",1\n";
    return all;
}
constexpr char const* header = "frame,name,value";

TEST(RowFile, GrowsByTheRowsOfEachFrame) {
    TemporaryFolder const folder;
    for (int frame = 0; frame <= 3; ++frame) append_rows(folder / "t.csv", header, rows(frame, frame));
    EXPECT_EQ(file_bytes(folder / "t.csv"), std::string(header) + "\n" + rows(0, 3));
}

TEST(RowFile, LosesATornEndWithTheNextRows) {
    TemporaryFolder const folder;
    std::string const whole = std::string(header) + "\n" + rows(0, 2);
    for (std::size_t torn = 1; torn < rows(2, 2).size(); ++torn) {
        overwrite(folder / "t.csv", whole.substr(0, whole.size() - torn));
        cut_rows(folder / "t.csv", 1);
        EXPECT_EQ(file_bytes(folder / "t.csv"), std::string(header) + "\n" + rows(0, 1)) << torn;
        append_rows(folder / "t.csv", header, rows(2, 2));
        EXPECT_EQ(file_bytes(folder / "t.csv"), whole) << torn;
    }
    overwrite(folder / "t.csv", whole + "3,a");
    append_rows(folder / "t.csv", header, rows(3, 3));
    EXPECT_EQ(file_bytes(folder / "t.csv"), whole + rows(3, 3));
}

TEST(RowFile, IsCutAfterAFrameAndRemovedWithoutAHeader) {
    TemporaryFolder const folder;
    append_rows(folder / "t.csv", header, rows(0, 12));
    cut_rows(folder / "t.csv", 20);
    EXPECT_EQ(file_bytes(folder / "t.csv"), std::string(header) + "\n" + rows(0, 12));
    cut_rows(folder / "t.csv", 9);
    EXPECT_EQ(file_bytes(folder / "t.csv"), std::string(header) + "\n" + rows(0, 9));
    cut_rows(folder / "t.csv", -1);
    EXPECT_EQ(file_bytes(folder / "t.csv"), std::string(header) + "\n");
    overwrite(folder / "t.csv", "frame,na");  // killed in its first moment, by another version
    cut_rows(folder / "t.csv", 3);
    EXPECT_FALSE(std::filesystem::exists(folder / "t.csv"));
    cut_rows(folder / "t.csv", 3);  // nothing to do
    overwrite(folder / "t.csv", "other,header\n1,2\n");
    append_rows(folder / "t.csv", header, rows(0, 0));
    EXPECT_EQ(file_bytes(folder / "t.csv"), std::string(header) + "\n" + rows(0, 0));
}

TEST(RowFile, PutsNamesWithCommasAndQuotesInQuotes) {
    EXPECT_EQ(cell_of("ball"), "ball");
    EXPECT_EQ(cell_of("ball[0,1,0]"), "\"ball[0,1,0]\"");
    EXPECT_EQ(cell_of("a \"ball\""), "\"a \"\"ball\"\"\"");
}

TEST(RowFile, OfBodiesHasTheColumnsOfTheContract) {
    TemporaryFolder const folder;
    BodySummary body;
    body.name = "b[0,0,1]", body.center = {1, 2, 3}, body.velocity = {4, 5, 6}, body.spin = {7, 8, 9};
    body.kinetic_energy = 10, body.elastic_energy = 11, body.max_plastic_strain = 0.5, body.shape_error = 1. / 3;
    write_bodies(folder / "bodies.csv", 2, 0.25, std::span(&body, 1));
    EXPECT_EQ(file_bytes(folder / "bodies.csv"),
              "frame,time,body,x,y,z,vx,vy,vz,wx,wy,wz,kinetic_energy,elastic_energy,max_plastic_strain,shape_error\n"
              "2,0.25,\"b[0,0,1]\",1,2,3,4,5,6,7,8,9,10,11,0.5,0.3333333333333333\n");
}

}  // namespace
}  // namespace pliant::test
