package io.sluice.node.gateway.upstream;

/**
 * What is thought of a server.
 *
 * @param upstream {@code http://host:port}
 * @param healthy whether requests go there as a matter of course
 */
public record UpstreamHealth(String service, String upstream, boolean healthy) {}
