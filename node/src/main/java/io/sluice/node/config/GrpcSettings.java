package io.sluice.node.config;

/**
 * The settings for Envoy's rate limit protocol. Immutable.
 *
 * @param door the address of the port, and the access to it
 * @param countsLikeTheReference whether each descriptor is counted on its own, even for refused requests, instead of all or none
 */
public record GrpcSettings(DoorSettings door, boolean countsLikeTheReference) {

    /** Plain text on the loopback address, with one decision for all descriptors of a request. */
    public static GrpcSettings on(int port) {
        return new GrpcSettings(DoorSettings.onLoopback(port), false);
    }
}
