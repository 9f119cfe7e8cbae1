// Arrays in transit from the GPU while it goes on working arrive as they were when sent.
#include <pliant/exec/cuda.hpp>

#include "gpu.hpp"

#include <thread>

namespace pliant::test {
namespace {

class CudaParcels : public OnGpu {
protected:
    static constexpr Index size = 1 << 22;

    // Sends n, n + 1, ... and overwrites them at once; another thread opens the parcel.
    static void expect_to_arrive(Cuda& exec, bool lasting) {
        Cuda::Buffer<Index> numbers;
        std::vector<Index> ascending(size);
        std::vector<float> const kept{1, 2, 3};
        for (Index first : {5u, 77u}) {  // the second time reuses the parcel
            for (Index i = 0; i < size; ++i) ascending[i] = first + i;
            exec.upload(numbers, ascending);
            auto const parcel = exec.parcel("numbers");
            parcel->add(std::as_bytes(std::span(kept)));
            lasting ? parcel->add(Lasting{numbers}) : parcel->add(numbers);
            parcel->send();
            if (lasting) exec.wait_for_parcels();
            exec.fill(numbers, Index{0});
            std::vector<Index> arrived;
            float last = 0;
            std::thread([&] {
                parcel->open();
                auto const values = parcel->values<Index>(1);
                arrived.assign(values.begin(), values.end());
                last = parcel->values<float>(0)[2];
                EXPECT_EQ(parcel->take(0).size(), 3 * sizeof(float));
            }).join();
            EXPECT_EQ(arrived, ascending);
            EXPECT_EQ(last, 3);
            for (Index value : exec.on_host(numbers)) ASSERT_EQ(value, 0u);
        }
    }
};

TEST_F(CudaParcels, HoldWhatBuffersHeldWhenTheyWereSent) {
    Cuda exec(0);
    expect_to_arrive(exec, false);
    EXPECT_GE(exec.parcel_bytes(), size * sizeof(Index));  // the copy on the device
}

TEST_F(CudaParcels, NeedNoCopyOfBuffersThatLastUntilTheyHaveArrived) {
    Cuda exec(0);
    expect_to_arrive(exec, true);
    EXPECT_EQ(exec.parcel_bytes(), 0u);
}

TEST_F(CudaParcels, GoStraightToTheHostIfTheDeviceHasNoRoomForACopy) {
    Cuda exec(0);
    std::size_t free_bytes = 0, total = 0;
    cudaMemGetInfo(&free_bytes, &total);
    void* taken = nullptr;
    ASSERT_EQ(cudaMalloc(&taken, free_bytes - size * sizeof(Index) * 3 / 2), cudaSuccess);
    expect_to_arrive(exec, false);
    EXPECT_EQ(exec.parcel_bytes(), 0u);
    cudaFree(taken);
}

TEST_F(CudaParcels, AreSeveralWhileOneIsStillHeld) {
    Cuda exec(0);
    auto const one = exec.parcel("frame");
    EXPECT_NE(exec.parcel("frame"), one);
    EXPECT_NE(exec.parcel("checkpoint"), one);
}

}  // namespace
}  // namespace pliant::test
