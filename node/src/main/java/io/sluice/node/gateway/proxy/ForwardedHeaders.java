package io.sluice.node.gateway.proxy;

import io.sluice.http.request.ForwardingHeader;
import io.sluice.node.gateway.exchange.GatewayExchange;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The headers that describe earlier hops to upstreams: {@code X-Forwarded-For}, {@code -Proto}, {@code -Host}, {@code -Port},
 * {@code Forwarded} (RFC 7239) and {@code Via}. Values from a trusted proxy are kept and extended. Values from any other sender, or that
 * the proxy may have passed through unchecked, are replaced. The host is always the host of the request itself, because few proxies write
 * that header and all pass it through.
 */
final class ForwardedHeaders {

    private static final String FOR = "x-forwarded-for";
    private static final String PROTO = "x-forwarded-proto";
    private static final String HOST = "x-forwarded-host";
    private static final String PORT = "x-forwarded-port";
    private static final String REAL = "x-real-ip";
    private static final String FORWARDED = "forwarded";
    private static final String VIA = "via";

    private ForwardedHeaders() {}

    /** Returns whether a request header, in lower case, is one of these headers or imitates one. */
    static boolean isOne(String name, List<ForwardingHeader> believed) {
        return switch (name) {
            case FOR, PROTO, HOST, PORT, FORWARDED, VIA -> true;
            case REAL -> !believed.contains(ForwardingHeader.X_REAL_IP);
            case "true-client-ip", "x-client-ip", "x-cluster-client-ip" -> believed.isEmpty();
            default -> name.startsWith("x-forwarded-") && !believed.contains(ForwardingHeader.X_FORWARDED_FOR);
        };
    }

    static void write(GatewayExchange exchange, MultiMap to) {
        HttpServerRequest request = exchange.request();
        GatewayExchange.Parsed parsed = exchange.parsed();
        MultiMap from = request.headers();
        boolean trusted = parsed.believed().contains(ForwardingHeader.X_FORWARDED_FOR);
        boolean standard = parsed.believed().contains(ForwardingHeader.FORWARDED);
        @Nullable String peer = peer(request.remoteAddress());
        String scheme = request.isSSL() ? "https" : "http";

        if (peer != null) {
            to.set(FOR, after(from, FOR, trusted, peer));
        } else if (trusted && from.contains(FOR)) {
            to.set(FOR, String.join(", ", from.getAll(FOR)));
        }
        to.set(PROTO, kept(from, PROTO, trusted, scheme));
        to.set(HOST, parsed.authority());
        @Nullable SocketAddress local = request.localAddress();
        if (local != null && local.port() > 0) {
            to.set(PORT, kept(from, PORT, trusted, Integer.toString(local.port())));
        }
        to.set(FORWARDED, after(from, FORWARDED, standard, element(peer, parsed.authority(), scheme)));
        to.set(VIA, after(from, VIA, true, version(request) + " sluice"));
    }

    private static String element(@Nullable String peer, String authority, String scheme) {
        String node = peer == null ? "unknown" : peer.indexOf(':') >= 0 ? "\"[" + peer + "]\"" : peer;
        boolean token = authority.indexOf(':') < 0 && authority.indexOf('[') < 0;
        return "for=" + node + ";host=" + (token ? authority : '"' + authority + '"') + ";proto=" + scheme;
    }

    /** Returns null if there is no address, as with a Unix socket. */
    private static @Nullable String peer(@Nullable SocketAddress address) {
        @Nullable String text = address == null ? null : address.hostAddress();
        int zone = text == null ? -1 : text.indexOf('%');
        return text == null || zone < 0 ? text : text.substring(0, zone);
    }

    private static String version(HttpServerRequest request) {
        return switch (request.version()) {
            case HTTP_1_0 -> "1.0";
            case HTTP_1_1 -> "1.1";
            default -> "2.0";
        };
    }

    private static String after(MultiMap from, String name, boolean trusted, String own) {
        if (!trusted || !from.contains(name)) {
            return own;
        }
        return String.join(", ", from.getAll(name)) + ", " + own;
    }

    /** Returns the value of the first hop if it is trusted and valid, otherwise the gateway's own value. */
    private static String kept(MultiMap from, String name, boolean trusted, String own) {
        if (!trusted || !from.contains(name)) {
            return own;
        }
        List<String> lines = from.getAll(name);
        String line = lines.get(0).strip();
        if (lines.size() > 1 || line.isEmpty()) {
            return own;
        }
        return name.equals(PROTO) ? proto(line, own) : line;
    }

    private static String proto(String line, String own) {
        String small = line.toLowerCase(Locale.ROOT);
        return small.equals("http") || small.equals("https") ? small : own;
    }
}
