package io.sluice.redis.store;

/**
 * Figures that the servers holding the counts report about themselves. For a Cluster, the sum over all primaries.
 *
 * @param connectedClients the number of connected clients
 * @param usedMemoryBytes the memory in use, in bytes
 */
public record StoreVitals(long connectedClients, long usedMemoryBytes) {

    public StoreVitals and(StoreVitals other) {
        return new StoreVitals(connectedClients + other.connectedClients, usedMemoryBytes + other.usedMemoryBytes);
    }
}
