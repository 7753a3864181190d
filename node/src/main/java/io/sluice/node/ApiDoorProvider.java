package io.sluice.node;

import io.sluice.node.door.Door;
import io.sluice.node.door.DoorMeans;
import io.sluice.node.door.DoorProvider;
import java.util.Optional;

/** The decision API, which every node has. */
public final class ApiDoorProvider implements DoorProvider {

    @Override
    public String section() {
        return "api";
    }

    @Override
    public Optional<? extends Door> create(DoorMeans means) {
        return Optional.of(new NodeApi(means));
    }
}
