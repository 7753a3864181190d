package io.sluice.spring.boot.store;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the URI of a Redis from its parts.
 *
 * @param secure whether the connection uses TLS
 */
record RedisUriParts(
        boolean secure, @Nullable String username, @Nullable String password) {

    String ofServer(String node, int database) {
        return scheme("") + node + "/" + database;
    }

    String ofSentinels(List<String> nodes, String master, int database) {
        return scheme("-sentinel") + String.join(",", nodes) + "/" + database + "#" + encoded(master);
    }

    String ofCluster(List<String> nodes) {
        return scheme("-cluster") + String.join(",", nodes);
    }

    static String node(String host, int port) {
        boolean bare = host.indexOf(':') >= 0 && !host.startsWith("[");
        return (bare ? "[" + host + "]" : host) + ":" + port;
    }

    private String scheme(String kind) {
        return (secure ? "rediss" : "redis") + kind + "://" + credentials();
    }

    private String credentials() {
        if (password == null || password.isEmpty()) {
            return "";
        }
        return (username == null || username.isEmpty() ? "" : encoded(username)) + ":" + encoded(password) + "@";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
