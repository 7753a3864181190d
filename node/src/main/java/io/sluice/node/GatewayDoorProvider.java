package io.sluice.node;

import io.sluice.node.door.Door;
import io.sluice.node.door.DoorMeans;
import io.sluice.node.door.DoorProvider;
import java.util.Optional;

/** The gateway, if the configuration has routes for it. */
public final class GatewayDoorProvider implements DoorProvider {

    @Override
    public String section() {
        return "gateway";
    }

    @Override
    public Optional<? extends Door> create(DoorMeans means) {
        return means.config().gateway().map(settings -> new NodeGateway(settings, means));
    }
}
