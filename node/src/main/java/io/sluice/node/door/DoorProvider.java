package io.sluice.node.door;

import io.sluice.node.config.StartFailedException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Creates a door if the configuration asks for it. Providers are found with {@link ServiceLoader}: a class with a public constructor
 * without parameters, and its name in {@code META-INF/services/io.sluice.node.door.DoorProvider}.
 */
public interface DoorProvider {

    /** Returns the name of the door, which is the name of its section in {@code doors} of the configuration file. */
    String section();

    /**
     * Creates the door without opening it; empty if the configuration asks for none.
     *
     * @throws StartFailedException if its settings are not possible
     */
    Optional<? extends Door> create(DoorMeans means) throws StartFailedException;

    /** Returns all providers on the class path, those of this module in the order of its file. */
    static List<DoorProvider> all() {
        return ServiceLoader.load(DoorProvider.class, DoorProvider.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }
}
