package io.sluice.node.gateway.exchange;

import io.sluice.http.trace.RequestOrigin;
import io.vertx.core.http.HttpServerRequest;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** The id of a request in logs, here and in upstreams. */
public final class RequestId {

    private static final HexFormat HEX = HexFormat.of();

    private RequestId() {}

    /** Returns the caller's id if it is safe to log; otherwise a new one, which is not a secret. */
    public static String of(HttpServerRequest request) {
        if (request.headers().contains(OwnAnswer.REQUEST_ID)) {
            String given = RequestOrigin.requestId(request.headers().getAll(OwnAnswer.REQUEST_ID));
            if (!given.isEmpty()) {
                return given;
            }
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return HEX.toHexDigits(random.nextLong()) + HEX.toHexDigits(random.nextInt());
    }
}
