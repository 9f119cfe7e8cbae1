// Frames assembled on another thread while the next steps run.
#pragma once

#include <pliant/simulation.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace pliant::test {

// Each record, opened while the simulation goes on, holds what a simulation reports that waits at every frame.
inline void expect_records_to_hold(Scene const& scene, Device const& device, int frames) {
    Simulation waiting(scene, device), going_on(scene, device);
    for (int f = 0; f < frames; ++f) {
        FrameRecord record;
        std::shared_ptr<Checkpoint const> stored;
        auto const open = going_on.record();
        auto const keep = going_on.kept();
        std::thread other([&] { record = open(), stored = keep(); });
        ASSERT_TRUE(going_on.advance());
        other.join();
        Frame const& frame = waiting.frame();
        ASSERT_EQ(record.frame->index, f);
        EXPECT_TRUE(record.frame->position == frame.position) << "frame " << f;
        EXPECT_TRUE(record.frame->velocity == frame.velocity) << "frame " << f;
        EXPECT_TRUE(record.frame->channels == frame.channels) << "frame " << f;
        EXPECT_EQ(record.frame->stats.center_of_mass, frame.stats.center_of_mass);
        EXPECT_EQ(record.frame->stats.elastic_energy, frame.stats.elastic_energy);
        Checkpoint const checkpoint = waiting.checkpoint();
        EXPECT_EQ(stored->scene_text, checkpoint.scene_text);
        ASSERT_EQ(stored->stats.size(), std::size_t(f) + 1);
        ASSERT_EQ(stored->arrays.size(), checkpoint.arrays.size());
        for (std::size_t k = 0; k < checkpoint.arrays.size(); ++k) {
            EXPECT_EQ(stored->arrays[k].name, checkpoint.arrays[k].name);
            if (checkpoint.arrays[k].name == "counters") continue;  // the counters include times
            EXPECT_TRUE(stored->arrays[k].bytes == checkpoint.arrays[k].bytes)
                << checkpoint.arrays[k].name << " of frame " << f;
        }
        EXPECT_EQ(record.summary.steps, waiting.summary().steps);
        EXPECT_EQ(record.summary.bodies[0].center, waiting.summary().bodies[0].center);
        ASSERT_TRUE(waiting.advance());
    }
}

}  // namespace pliant::test
