package io.sluice.redis.store;

/**
 * Figures that the servers holding the counts report about themselves. For a Cluster, the sum over all primaries, and the largest lag. A
 * figure that a server does not report is NaN, without effect on the other figures. Immutable.
 *
 * @param connectedClients the number of connected clients
 * @param usedMemoryBytes the memory in use, in bytes
 * @param maxMemoryBytes the memory that may be used, in bytes; 0 if a server has no maximum
 * @param cpuSeconds the processor time that the servers have used since they started, in seconds
 * @param slowLogLength the number of entries in the slow log
 * @param evictedKeys the number of keys that were evicted since the servers started
 * @param connectedReplicas the number of connected replicas
 * @param lagBytes the lag of the slowest replica behind its primary, in bytes; NaN without a replica
 * @param lagSeconds the time since the slowest replica last acknowledged, in seconds; NaN without a replica
 */
public record StoreVitals(
        long connectedClients,
        long usedMemoryBytes,
        double maxMemoryBytes,
        double cpuSeconds,
        double slowLogLength,
        double evictedKeys,
        double connectedReplicas,
        double lagBytes,
        double lagSeconds) {

    /** The figures of no server. */
    public static final StoreVitals NONE = new StoreVitals(0, 0, Double.NaN, 0, 0, 0, 0, Double.NaN, Double.NaN);

    /** Returns the combined figures of the servers of both. */
    public StoreVitals and(StoreVitals other) {
        if (equals(NONE) || other.equals(NONE)) {
            return equals(NONE) ? other : this;
        }
        boolean bounded = maxMemoryBytes != 0 && other.maxMemoryBytes != 0;
        return new StoreVitals(
                connectedClients + other.connectedClients,
                usedMemoryBytes + other.usedMemoryBytes,
                bounded ? maxMemoryBytes + other.maxMemoryBytes : 0,
                cpuSeconds + other.cpuSeconds,
                slowLogLength + other.slowLogLength,
                evictedKeys + other.evictedKeys,
                connectedReplicas + other.connectedReplicas,
                larger(lagBytes, other.lagBytes),
                larger(lagSeconds, other.lagSeconds));
    }

    /** Returns the larger lag. A server without replicas does not affect the lag of the others. */
    private static double larger(double one, double other) {
        return Double.isNaN(one) ? other : Double.isNaN(other) ? one : Math.max(one, other);
    }
}
