package io.sluice.node.gateway.proxy;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;

/** The length of a body according to the head. */
public final class Framing {

    /** The head says nothing: there is no body in HTTP/1, and there may be one in HTTP/2. */
    static final long SILENT = -1;

    /** The body comes in chunks. */
    static final long CHUNKED = -2;

    /** Two servers might understand the head differently. */
    public static final long DOUBTFUL = -3;

    private static final int MOST_DIGITS = 18;

    private Framing() {}

    /** Returns the number of bytes, or one of the constants. */
    public static long of(HttpServerRequest request) {
        MultiMap headers = request.headers();
        boolean chunked = headers.contains("transfer-encoding");
        if (!headers.contains("content-length")) {
            if (!chunked) {
                return SILENT;
            }
            List<String> codings = headers.getAll("transfer-encoding");
            return request.version() == HttpVersion.HTTP_1_1
                            && codings.size() == 1
                            && codings.get(0).equalsIgnoreCase("chunked")
                    ? CHUNKED
                    : DOUBTFUL;
        }
        List<String> lengths = headers.getAll("content-length");
        return chunked || lengths.size() != 1 ? DOUBTFUL : length(lengths.get(0));
    }

    static boolean mayHaveBody(HttpServerRequest request) {
        long framing = of(request);
        return framing != 0 && (framing != SILENT || request.version() == HttpVersion.HTTP_2);
    }

    /** Reads the value of {@code Content-Length}. */
    static long length(String digits) {
        if (digits.isEmpty() || digits.length() > MOST_DIGITS) {
            return DOUBTFUL;
        }
        for (int i = 0; i < digits.length(); i++) {
            if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
                return DOUBTFUL;
            }
        }
        return Long.parseLong(digits);
    }
}
