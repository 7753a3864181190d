package io.sluice.redis.store;

/**
 * How the servers that hold the counts are doing, by their own words; of a Cluster, of all primaries together.
 *
 * @param connectedClients how many clients are connected
 * @param usedMemoryBytes how much memory their data takes
 */
public record StoreVitals(long connectedClients, long usedMemoryBytes) {

    public StoreVitals and(StoreVitals other) {
        return new StoreVitals(connectedClients + other.connectedClients, usedMemoryBytes + other.usedMemoryBytes);
    }
}
