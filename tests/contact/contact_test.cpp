// Contacts of one particle with up to three colliders, and the directions they leave free for the solver.
#include <pliant/contact/contact.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

#include <vector>

namespace pliant {
namespace {

// Normals at large angles to each other, as in the corners of a room, but not right angles.
std::vector<Vec3f> random_normals(RandomMatrices& random, int count) {
    Mat3d const Q = random.rotation();
    std::vector<Vec3f> normals;
    for (int k = 0; k < count; ++k) normals.push_back(cast<float>(normalized(Q[k] + 0.3 * random.vector())));
    return normals;
}

Contact contact_with(std::vector<Vec3f> const& normals, std::vector<float> const& targets) {
    Contact contact{};
    for (std::size_t k = 0; k < normals.size(); ++k) {
        EXPECT_TRUE(contact.add(int(10 + k), normals[k], targets[k]));
    }
    return contact;
}

// Not inlined: with a known k, gcc 12 unrolls the loop of remove() past the three entries of a contact, and warns.
[[gnu::noinline]] void remove_from(Contact& contact, int k) { contact.remove(k); }

constexpr double rounding = 1e-5;  // of floats of order 1, times the condition number of the normals, below 10

TEST(Contact, ProjectionMeetsAllTargets) {
    RandomMatrices random(101);
    for (int count = 0; count <= 3; ++count)
        for (int n = 0; n < 200; ++n) {
            auto const normals = random_normals(random, count);
            std::vector<float> targets;
            for (int k = 0; k < count; ++k) targets.push_back(float(random.between(-1, 1)));
            Contact const contact = contact_with(normals, targets);
            Vec3f const u = cast<float>(random.vector()), projected = contact.project(u);
            for (int k = 0; k < count; ++k)
                EXPECT_NEAR(dot(normals[std::size_t(k)], projected), targets[std::size_t(k)], rounding);
            // Nearest point: it moved only within the span of the normals.
            EXPECT_LT(norm(contact.tangential(projected - u)), rounding);
            EXPECT_LT(norm(contact.project(projected) - projected), rounding);
            if (count == 0) {
                EXPECT_EQ(projected, u);
            }
        }
}

TEST(Contact, ProjectionKeepsTargetsNearTheLeastAngleThatIsAccepted) {
    // Two walls that meet at 6 degrees, just above the minimum of asin(0.1): ill-conditioned by 1 / 0.1^2, but met.
    Vec3f const a{0, 1, 0}, b{std::sin(0.105f), std::cos(0.105f), 0};
    Contact const contact = contact_with({a, b}, {0.01f, 0.02f});
    Vec3f const u = contact.project({0.5f, -0.3f, 0.2f});
    EXPECT_NEAR(dot(a, u), 0.01, 1e-4);
    EXPECT_NEAR(dot(b, u), 0.02, 1e-4);
    EXPECT_NEAR(u.z, 0.2, 1e-6);
}

TEST(Contact, RefusesANormalThatAddsNothing) {
    Contact contact{};
    ASSERT_TRUE(contact.add(0, {0, 1, 0}, 0));
    EXPECT_FALSE(contact.add(1, {0, 1, 0}, 0));   // the same floor again
    EXPECT_FALSE(contact.add(1, {0, -1, 0}, 0));  // a ceiling: this direction is already taken
    EXPECT_FALSE(contact.add(1, {std::sin(0.09f), std::cos(0.09f), 0}, 0));  // 5 degrees off: the minimum is asin(0.1)
    EXPECT_EQ(contact.count, 1);
    ASSERT_TRUE(contact.add(1, {1, 0, 0}, 0));
    EXPECT_FALSE(contact.add(2, normalized(Vec3f{1, 2, 0}), 0));  // in the plane of the two
    ASSERT_TRUE(contact.add(2, normalized(Vec3f{1, 1, 1}), 0));
    EXPECT_FALSE(contact.add(3, {0, 0, 1}, 0));  // three is the maximum
    EXPECT_EQ(contact.count, 3);
    EXPECT_FALSE(contact.touches(3));
}

TEST(Contact, MultipliersReproduceAForceInTheSpanOfTheNormals) {
    RandomMatrices random(102);
    for (int count = 1; count <= 3; ++count)
        for (int n = 0; n < 200; ++n) {
            auto const normals = random_normals(random, count);
            Contact const contact = contact_with(normals, {0, 0, 0});
            Vec3f expected, force;
            for (int k = 0; k < count; ++k) {
                expected[k] = float(random.between(-1, 1));
                force += expected[k] * normals[std::size_t(k)];
            }
            Vec3f const lambda = contact.multipliers(force);
            for (int k = 0; k < 3; ++k) EXPECT_NEAR(lambda[k], expected[k], rounding);  // zero beyond count
            EXPECT_LT(norm(contact.tangential(force)), rounding);
        }
    EXPECT_EQ(Contact{}.multipliers({1, 2, 3}), Vec3f{});
}

TEST(Contact, TangentialPartIsOrthogonalToAllNormals) {
    RandomMatrices random(103);
    for (int count = 0; count <= 3; ++count)
        for (int n = 0; n < 100; ++n) {
            auto const normals = random_normals(random, count);
            Contact const contact = contact_with(normals, {0, 0, 0});
            Vec3f const v = cast<float>(random.vector()), t = contact.tangential(v);
            for (Vec3f normal : normals) EXPECT_NEAR(dot(normal, t), 0, rounding);
            EXPECT_LE(norm(t), norm(v) + rounding);
            if (count == 0) {
                EXPECT_EQ(t, v);
            }
        }
}

TEST(Contact, RemoveKeepsTheOthersInOrder) {
    std::vector<Vec3f> const normals{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int gone = 0; gone < 3; ++gone) {
        Contact contact = contact_with(normals, {0.1f, 0.2f, 0.3f});
        remove_from(contact, gone);
        ASSERT_EQ(contact.count, 2);
        EXPECT_FALSE(contact.touches(10 + gone));
        for (int k = 0, kept = 0; k < 3; ++k) {
            if (k == gone) continue;
            EXPECT_TRUE(contact.touches(10 + k));
            EXPECT_EQ(contact.collider[kept], 10 + k);
            EXPECT_EQ(contact.normal[kept], normals[std::size_t(k)]);
            EXPECT_EQ(contact.target[kept], 0.1f * float(k + 1));
            ++kept;
        }
        EXPECT_TRUE(contact.add(10 + gone, normals[std::size_t(gone)], 0));  // its direction is free again
    }
}

TEST(Contact, TakesOneDirectionPerNormalAndAllWhenItSticks) {
    Contact contact{};
    EXPECT_EQ(contact.constraint().kind, Constraint::free);
    contact.drag = 2;
    contact.add(0, {0, 1, 0}, 0);
    EXPECT_EQ(contact.constraint().kind, Constraint::plane);
    EXPECT_EQ(contact.constraint().axis, (Vec3f{0, 1, 0}));
    EXPECT_EQ(contact.constraint().drag, 2);
    contact.add(1, {1, 0, 0}, 0);
    EXPECT_EQ(contact.constraint().kind, Constraint::line);
    EXPECT_NEAR(std::abs(contact.constraint().axis.z), 1, 1e-6);  // along the edge of floor and wall
    EXPECT_EQ(contact.constraint().drag, 2);
    contact.add(2, {0, 0, 1}, 0);
    EXPECT_EQ(contact.constraint().kind, Constraint::fixed);
    EXPECT_EQ(contact.constraint().drag, 0);  // no direction is left to drag along
    remove_from(contact, 2);
    remove_from(contact, 1);
    contact.stick = true;
    EXPECT_EQ(contact.constraint().kind, Constraint::fixed);
    EXPECT_EQ(contact.constraint().drag, 0);
}

TEST(Contact, FrictionPullsTheSlipBackAndDoesNoWorkOnACarriedParticle) {
    Contact contact{};
    contact.add(0, {0, 1, 0}, 0);
    contact.carried = {0.1f, 0, 0};                     // on a conveyor belt [m]
    contact.drag = 3;                                   // [kg]
    EXPECT_EQ(contact.slip({0.1f, 0.5f, 0}), Vec3f{});  // moves with the belt; lifting off is not slip
    EXPECT_EQ(contact.friction({0.1f, 0.5f, 0}), Vec3f{});
    Vec3f const friction = contact.friction({0.3f, 0, 0.4f});
    EXPECT_NEAR(friction.x, -0.6, 1e-6);  // -3 (0.3 - 0.1)
    EXPECT_EQ(friction.y, 0);
    EXPECT_NEAR(friction.z, -1.2, 1e-6);
    contact.drag = 0;
    EXPECT_EQ(contact.friction({0.3f, 0, 0.4f}), Vec3f{});
}

std::vector<Constraint> random_constraints(RandomMatrices& random) {
    Vec3f const axis = cast<float>(random.direction());
    return {{{}, Constraint::free, 0},
            {axis, Constraint::plane, 0},
            {axis, Constraint::line, 0},
            {{}, Constraint::fixed, 0}};
}

TEST(Constraint, FilterIsAnOrthogonalProjection) {
    RandomMatrices random(104);
    double const float_rounding = 1e-6;
    for (int n = 0; n < 200; ++n)
        for (Constraint const& constraint : random_constraints(random)) {
            Vec4 const a = Vec4::from(cast<float>(random.vector())), b = Vec4::from(cast<float>(random.vector()));
            Vec4 const once = constraint.filter(a), twice = constraint.filter(once);
            for (int k = 0; k < 3; ++k) EXPECT_NEAR(twice[k], once[k], float_rounding);                 // idempotent
            EXPECT_NEAR(dot3(constraint.filter(a), b), dot3(a, constraint.filter(b)), float_rounding);  // symmetric
            EXPECT_EQ(once[3], 0);  // so sums over all lanes stay right
        }
}

TEST(Constraint, FilterLeavesTheDirectionsThatAreFree) {
    RandomMatrices random(105);
    for (int n = 0; n < 200; ++n) {
        Vec3f const axis = cast<float>(random.direction());
        Vec3f const v = cast<float>(random.vector()), along = dot(v, axis) * axis, across = v - along;
        auto const filtered = [&](Constraint::Kind kind) {
            return Constraint{axis, kind, 0}.filter(Vec4::from(v)).xyz();
        };
        EXPECT_EQ(filtered(Constraint::free), v);
        EXPECT_LT(norm(filtered(Constraint::plane) - across), 1e-6);
        EXPECT_LT(norm(filtered(Constraint::line) - along), 1e-6);
        EXPECT_EQ(filtered(Constraint::fixed), Vec3f{});
    }
}

TEST(Constraint, LeavesExactlyWhatTheContactCallsTangential) {
    RandomMatrices random(106);
    for (int count = 0; count <= 3; ++count)
        for (int n = 0; n < 100; ++n) {
            Contact const contact = contact_with(random_normals(random, count), {0, 0, 0});
            Vec3f const v = cast<float>(random.vector());
            EXPECT_LT(norm(contact.constraint().filter(Vec4::from(v)).xyz() - contact.tangential(v)), rounding);
        }
}

// One particle above a floor at y = 0 and beside a wall at x = 0 that faces +x.
struct Room {
    std::vector<Collider> colliders{2};
    Vec4d x;
    float distance = 0.1f;  // [m], contact distance

    explicit Room(Vec3f at) : x(Vec4d::from(cast<double>(at))) {
        // The wall's normal, local y, points along x.
        colliders[1].rotation = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
    }
    ContactScene scene() const { return {colliders.data(), colliders.data(), 2, 0.01, 1e-4, &x, &distance}; }
    Contact find(Vec3f u) const {
        Contact contact{};
        scene().find(0, contact, u, 0);
        return contact;
    }
};

TEST(ContactScene, FindsWhatTheParticleWouldRunInto) {
    Room const room({1, 1, 0});
    EXPECT_EQ(room.find({0, -0.8f, 0}).count, 0);  // ends at a height of 0.2
    Contact const floor = room.find({0.3f, -1.2f, 0.2f});
    ASSERT_EQ(floor.count, 1);
    EXPECT_EQ(floor.collider[0], 0);
    Vec3f const on_floor = floor.project({0.3f, -1.2f, 0.2f});
    EXPECT_NEAR(1 + on_floor.y, 0.1, 1e-6);  // ends in touch with the floor
    EXPECT_NEAR(on_floor.x, 0.3, 1e-6);      // and is not held along it
    EXPECT_NEAR(on_floor.z, 0.2, 1e-6);
    Contact const corner = room.find({-1.5f, -1.2f, 0});
    ASSERT_EQ(corner.count, 2);
    Vec3f const in_corner = corner.project({-1.5f, -1.2f, 0});
    EXPECT_NEAR(1 + in_corner.x, 0.1, 1e-6);
    EXPECT_NEAR(1 + in_corner.y, 0.1, 1e-6);
}

TEST(ContactScene, LetsAParticleThatIsInsideComeOutByAFifthPerStep) {
    Room const room({1, 0.05f, 0});  // 0.05 too low
    Contact const contact = room.find({});
    ASSERT_EQ(contact.count, 1);
    EXPECT_NEAR(contact.project({}).y, 0.2 * 0.05, 1e-6);
    Room const leaving({1, 0.05f, 0});
    EXPECT_EQ(leaving.find({0, 0.06f, 0}).count, 0);  // it leaves by itself
}

// A press squeezes a particle against the floor deeper than it lies in a wall: floor and press come first, but the
// press is refused, since its normal is the floor's reversed. The search must go on to the wall.
TEST(ContactScene, FindsAWallBehindAPressThatAddsNothing) {
    Room room({0.15f, 0.12f, 0});
    Collider press = room.colliders[0];
    press.rotation = Mat3d::diagonal({1, -1, -1});  // faces down
    press.center = {0, 0.05, 0};
    room.colliders.push_back(press);
    ContactScene scene = room.scene();
    scene.count = 3;
    Contact contact{};
    scene.find(0, contact, {-0.08f, -0.2f, 0}, 0);  // into the wall by 0.03, into the press in any case
    EXPECT_TRUE(contact.touches(1));
    EXPECT_GE(0.15f + contact.project({-0.08f, -0.2f, 0}).x, 0.1f - 1e-6f);
}

TEST(ContactScene, SeesPositionsInDouble) {
    Room room({0.5f, 0.1f, 0});
    EXPECT_NEAR(room.scene().start(0).y, double(0.1f), 1e-15);
    room.x += Vec4d::of(0, -1e-9, 0, 0);  // far below one unit in the last place of 0.1f
    EXPECT_NEAR(room.scene().start(0).y, double(0.1f) - 1e-9, 1e-15);
    EXPECT_EQ(room.find({}).count, 1);
    room.x += Vec4d::of(0, 2e-9, 0, 0);
    EXPECT_EQ(room.find({}).count, 0);
}

}  // namespace
}  // namespace pliant
