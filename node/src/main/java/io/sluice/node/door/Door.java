package io.sluice.node.door;

import io.sluice.node.config.StartFailedException;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A front end of a node: it listens on a port, asks the node's rules about each request, and answers. Thread-safe.
 *
 * <p>The node calls the methods in this order: {@link #open} for every door, {@link #warmUp} for all doors at the same time, {@link #serve}
 * for every door. Before a stop it calls {@link #leave} for every door and waits for the stop delay; then it calls {@link #close} in the
 * reverse order of opening. A door whose {@code open} failed is also closed.
 */
public interface Door extends AutoCloseable {

    /** Returns a word for the door in metrics and logs, such as {@code gateway}. It never changes. */
    String name();

    /** Starts to listen. Requests may arrive from now on, but the node's health is not yet good. */
    void open() throws StartFailedException;

    /**
     * Sends requests through the door while {@code more} is true, so that classes are loaded and code is compiled before users wait for
     * answers. The requests must not change any count of a user. A failure is logged at debug level and does not stop the start.
     */
    default void warmUp(BooleanSupplier more) throws Exception {}

    /** Called when all doors are warm. The node serves as soon as this method of all doors has returned. */
    default void serve() throws StartFailedException {}

    /** Asks callers to use other connections from now on. Requests that arrive are still answered. */
    void leave();

    /** Returns the number of connections that were closed immediately because too many were open. */
    default long refusedConnections() {
        return 0;
    }

    /** Returns problems that do not stop the door, as sentences. */
    default List<String> findings() {
        return List.of();
    }

    /** Stops accepting connections and returns when the requests in flight have finished, or their time limit has passed. */
    @Override
    void close();
}
