package io.sluice.node.gateway.chain;

import io.sluice.http.request.Authority;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.http.request.RequestMethod;
import io.sluice.http.request.RequestTarget;
import io.sluice.node.gateway.exchange.GatewayExchange.Parsed;
import io.sluice.node.gateway.exchange.RequestId;
import io.sluice.rules.pattern.Address;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates the one view of a request that all later steps use. An ambiguous request is refused, because limits might miss one of its
 * readings.
 */
final class RequestParser {

    private RequestParser() {}

    static Parsed parse(HttpServerRequest request, GatewayState state) throws RefusedRequestException {
        String method = method(request);
        RequestTarget target = isHttp2(request)
                ? RequestTarget.ofPath(method, request.uri())
                : RequestTarget.read(method, request.uri());
        Authority authority = authority(request, target);
        Address peer = peer(request.remoteAddress());
        Address caller =
                state.caller().of(peer, name -> request.headers().getAll(name)).orElse(null);
        return new Parsed(
                RequestId.of(request),
                method,
                authority.host(),
                authority.text(),
                target.path(state.paths()),
                target,
                caller,
                state.caller().believed(peer));
    }

    private static String method(HttpServerRequest request) throws RefusedRequestException {
        String method = RequestMethod.read(request.method().name());
        if (method.equals("CONNECT") || method.equals("TRACE")) {
            throw new RefusedRequestException(501, "method: " + method + " (expected: a method that can be forwarded)");
        }
        return method;
    }

    private static Authority authority(HttpServerRequest request, RequestTarget target) throws RefusedRequestException {
        List<String> lines = request.headers().getAll(HttpHeaders.HOST);
        Authority other = null;
        if (isHttp2(request)) {
            other = pseudo(request.authority());
        } else if (target.authority() != null) {
            other = Authority.read(target.authority());
        }
        if (other == null) {
            return Authority.of(lines);
        }
        return lines.isEmpty() && isHttp2(request) ? other : Authority.of(lines).agreeing(other);
    }

    private static @Nullable Authority pseudo(@Nullable HostAndPort authority) throws RefusedRequestException {
        if (authority == null) {
            return null;
        }
        return Authority.read(authority.port() < 0 ? authority.host() : authority.host() + ":" + authority.port());
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
