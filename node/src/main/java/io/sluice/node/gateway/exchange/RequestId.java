package io.sluice.node.gateway.exchange;

import io.vertx.core.http.HttpServerRequest;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The id of a request in logs, here and in upstreams. */
public final class RequestId {

    private static final int LONGEST = 128;
    private static final HexFormat HEX = HexFormat.of();

    private RequestId() {}

    /** Returns the caller's id if it is safe to log; otherwise a new one, which is not a secret. */
    public static String of(HttpServerRequest request) {
        String given = request.getHeader(OwnAnswer.REQUEST_ID);
        if (given != null && isSane(given)) {
            List<String> all = request.headers().getAll(OwnAnswer.REQUEST_ID);
            if (all.size() == 1) {
                return given;
            }
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return HEX.toHexDigits(random.nextLong()) + HEX.toHexDigits(random.nextInt());
    }

    private static boolean isSane(String id) {
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!letter && c != '.' && c != '_' && c != '-') {
                return false;
            }
        }
        return !id.isEmpty() && id.length() <= LONGEST;
    }
}
