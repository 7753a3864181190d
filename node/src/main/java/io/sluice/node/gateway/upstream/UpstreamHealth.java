package io.sluice.node.gateway.upstream;

/**
 * The health of a server.
 *
 * @param upstream {@code http://host:port}
 * @param healthy whether it receives requests regularly
 */
public record UpstreamHealth(String service, String upstream, boolean healthy) {}
