package io.sluice.node.gateway;

import io.sluice.node.gateway.GatewayExchange.Parsed;
import io.sluice.rules.Address;
import io.sluice.rules.PathRefusedException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes the one view of a request that everybody after uses. What could be seen in two ways is refused: one of them might not be
 * limited.
 */
final class Parser {

    private static final String HOST_EXPECTED = " (expected: one host, such as shop.example or shop.example:8443)";
    private static final int LONGEST_METHOD = 32;

    private Parser() {}

    static Parsed parse(HttpServerRequest request, GatewayState state) throws RefusedRequestException {
        String method = method(request);
        String uri = request.uri();
        int authorityEnd = absoluteEnd(request, uri);
        Authority authority = authority(request, uri, authorityEnd);
        String target = target(method, authorityEnd < 0 ? uri : uri.substring(authorityEnd));
        Address peer = peer(request.remoteAddress());
        Address caller =
                state.caller().of(peer, name -> request.headers().getAll(name)).orElse(null);
        return new Parsed(
                RequestId.of(request),
                method,
                authority.host(),
                authority.text(),
                path(state, target),
                target,
                caller,
                state.caller().believed(peer));
    }

    /** Servers differ in whether small letters are another method, so there are none. */
    private static String method(HttpServerRequest request) throws RefusedRequestException {
        String method = request.method().name();
        boolean capitals = !method.isEmpty() && method.length() <= LONGEST_METHOD;
        for (int i = 0; i < method.length() && capitals; i++) {
            capitals = method.charAt(i) >= 'A' && method.charAt(i) <= 'Z';
        }
        if (!capitals) {
            throw RefusedRequestException.bad("method: not a known form (expected: capital letters, such as GET)");
        }
        if (method.equals("CONNECT") || method.equals("TRACE")) {
            throw new RefusedRequestException(501, "method: " + method + " (expected: one that can be sent on)");
        }
        return method;
    }

    /** Where the authority of a target in absolute form ends; -1 if it is in another form. */
    private static int absoluteEnd(HttpServerRequest request, String uri) {
        if (uri.startsWith("/") || isHttp2(request)) {
            return -1;
        }
        int start = schemeEnd(uri);
        if (start < 0) {
            return -1;
        }
        int end = start;
        while (end < uri.length() && "/?#".indexOf(uri.charAt(end)) < 0) {
            end++;
        }
        return end;
    }

    private static int schemeEnd(String uri) {
        String start = uri.substring(0, Math.min(uri.length(), 8)).toLowerCase(Locale.ROOT);
        return start.startsWith("http://") ? 7 : start.startsWith("https://") ? 8 : -1;
    }

    private static Authority authority(HttpServerRequest request, String uri, int absoluteEnd)
            throws RefusedRequestException {
        List<String> lines = request.headers().getAll(HttpHeaders.HOST);
        if (lines.size() > 1) {
            throw RefusedRequestException.bad("host: " + lines.size() + " of them" + HOST_EXPECTED);
        }
        Authority host = lines.isEmpty() ? null : read(lines.get(0));
        Authority other = null;
        if (isHttp2(request)) {
            other = pseudo(request.authority());
        } else if (absoluteEnd >= 0) {
            other = read(uri.substring(schemeEnd(uri), absoluteEnd));
        }
        Authority said = host == null && isHttp2(request) ? other : host;
        if (said == null) {
            throw RefusedRequestException.bad("host: none" + HOST_EXPECTED);
        }
        if (other != null && !other.equals(said)) {
            throw RefusedRequestException.bad("host: two that differ" + HOST_EXPECTED);
        }
        return said;
    }

    private static @Nullable Authority pseudo(@Nullable HostAndPort authority) throws RefusedRequestException {
        if (authority == null) {
            return null;
        }
        return read(authority.port() < 0 ? authority.host() : authority.host() + ":" + authority.port());
    }

    private static Authority read(String text) throws RefusedRequestException {
        Optional<Authority> authority = Authority.parse(text);
        if (authority.isEmpty()) {
            throw RefusedRequestException.bad("host: unreadable" + HOST_EXPECTED);
        }
        return authority.get();
    }

    /** In the form that is sent on. */
    private static String target(String method, String given) throws RefusedRequestException {
        for (int i = 0; i < given.length(); i++) {
            char c = given.charAt(i);
            if (c <= ' ' || c >= 0x7f || c == '#') {
                throw RefusedRequestException.bad(
                        "target: a character that may not stand there (expected: it percent-encoded)");
            }
        }
        if (given.isEmpty() || given.startsWith("?")) {
            return "/" + given;
        }
        if (!given.startsWith("/") && !(given.equals("*") && method.equals("OPTIONS"))) {
            throw RefusedRequestException.bad("target: not a path (expected: one that begins with a slash)");
        }
        return given;
    }

    /** That of the whole server is its root. */
    private static String path(GatewayState state, String target) throws RefusedRequestException {
        try {
            return target.equals("*") ? "/" : state.paths().normalOfTarget(target);
        } catch (PathRefusedException e) {
            throw RefusedRequestException.bad("path: refused (expected: " + e.expected() + ")");
        }
    }

    private static @Nullable Address peer(@Nullable SocketAddress remote) {
        String text = remote == null ? null : remote.hostAddress();
        if (text == null) {
            return null;
        }
        int zone = text.indexOf('%');
        return Address.parse(zone < 0 ? text : text.substring(0, zone)).orElse(null);
    }

    private static boolean isHttp2(HttpServerRequest request) {
        return request.version() == HttpVersion.HTTP_2;
    }
}
