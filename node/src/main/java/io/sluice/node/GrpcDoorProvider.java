package io.sluice.node;

import io.sluice.node.door.Door;
import io.sluice.node.door.DoorMeans;
import io.sluice.node.door.DoorProvider;
import io.sluice.node.envoy.GrpcDoor;
import java.util.Optional;

/** The service for Envoy over gRPC, if the configuration has a port for it. */
public final class GrpcDoorProvider implements DoorProvider {

    @Override
    public String section() {
        return "grpc";
    }

    @Override
    public Optional<? extends Door> create(DoorMeans means) {
        return means.config()
                .grpc()
                .map(settings -> GrpcDoor.of(settings, means.tokens(), means::rules, means.evaluator()));
    }
}
