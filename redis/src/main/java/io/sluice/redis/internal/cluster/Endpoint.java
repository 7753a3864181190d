package io.sluice.redis.internal.cluster;

import java.util.Objects;

/** Where a node of a Cluster is, as the Cluster says it. Immutable. */
record Endpoint(String host, int port) {

    Endpoint {
        Objects.requireNonNull(host, "host");
        if (host.isEmpty() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("endpoint: \"" + host + ":" + port + "\" (expected: host and port)");
        }
    }

    /**
     * An address as redirections have it.
     *
     * @param asked who said so: a node that does not know its own name leaves it out, and means the one it was reached by
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
