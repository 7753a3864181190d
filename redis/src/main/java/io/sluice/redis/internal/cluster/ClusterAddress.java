package io.sluice.redis.internal.cluster;

import io.lettuce.core.RedisURI;
import io.sluice.redis.internal.link.RedisAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The address of a Cluster: {@code redis-cluster://user:password@h1:p1,h2:p2}, or {@code rediss-cluster://} for TLS. The nodes
 * that the Cluster names are reached in the same way as the seeds, with the same credentials.
 *
 * @param seeds the nodes that are asked for all other nodes; at least one
 */
public record ClusterAddress(List<RedisURI> seeds) {

    private static final String PLAIN = "redis-cluster://";
    private static final String SECURE = "rediss-cluster://";

    /** A host name or an address (IPv6 in brackets), and an optional port. */
    private static final Pattern SEED = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^\\s:/\\[\\]]+)(:\\d{1,5})?");

    public ClusterAddress {
        seeds = List.copyOf(seeds);
    }

    public static boolean matches(String uri) {
        return uri.startsWith(PLAIN) || uri.startsWith(SECURE);
    }

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if the address is invalid
     */
    public static ClusterAddress of(String uri) {
        boolean secure = uri.startsWith(SECURE);
        String rest = uri.substring((secure ? SECURE : PLAIN).length());
        int query = rest.indexOf('?');
        String parameters = query < 0 ? "" : rest.substring(query);
        String authority = query < 0 ? rest : rest.substring(0, query);
        if (authority.endsWith("/")) {
            authority = authority.substring(0, authority.length() - 1);
        }
        int at = authority.lastIndexOf('@');
        String credentials = authority.substring(0, at + 1);
        List<RedisURI> seeds = new ArrayList<>();
        for (String seed : authority.substring(at + 1).split(",", -1)) {
            if (!SEED.matcher(seed).matches()) {
                throw RedisAddress.refused(uri);
            }
            seeds.add(RedisAddress.server((secure ? "rediss://" : "redis://") + credentials + seed + parameters, uri));
        }
        if (seeds.stream().anyMatch(seed -> seed.getDatabase() != 0)) {
            throw RedisAddress.refused(uri);
        }
        return new ClusterAddress(seeds);
    }

    /** Returns the URI of a node of the Cluster. */
    public RedisURI of(Endpoint node) {
        return RedisURI.builder(seeds.get(0))
                .withHost(node.host())
                .withPort(node.port())
                .build();
    }

    boolean isSecure() {
        return seeds.get(0).isSsl();
    }
}
