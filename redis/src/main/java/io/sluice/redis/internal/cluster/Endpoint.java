package io.sluice.redis.internal.cluster;

import java.util.Objects;

/** The address of a node as the Cluster gives it. Immutable. */
record Endpoint(String host, int port) {

    Endpoint {
        Objects.requireNonNull(host, "host");
        if (host.isEmpty() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("endpoint: \"" + host + ":" + port + "\" (expected: HOST:PORT)");
        }
    }

    /**
     * Parses an address as redirections give it.
     *
     * @param asked the node that sent it. A node that does not know its own name leaves it out and means the host by which it was reached
     */
    static Endpoint read(String text, Endpoint asked) {
        int colon = text.lastIndexOf(':');
        try {
            return named(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)), asked);
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw new IllegalArgumentException("endpoint: \"" + text + "\" (expected: HOST:PORT)", e);
        }
    }

    static Endpoint named(String host, int port, Endpoint asked) {
        return new Endpoint(host.isEmpty() || host.equals("?") ? asked.host() : host, port);
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
