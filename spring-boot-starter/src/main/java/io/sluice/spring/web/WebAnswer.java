package io.sluice.spring.web;

import io.sluice.http.answer.Problem;
import io.sluice.http.request.RefusedRequestException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An answer in the place of the application's. Immutable.
 *
 * @param headers all of them, but for the length
 */
public record WebAnswer(int status, Map<String, String> headers, String body) {

    private static final int UNAVAILABLE = 503;

    public WebAnswer {
        headers = Map.copyOf(headers);
    }

    /** What to say of a request that no rule refused and that is not served. */
    static WebAnswer problem(int status, String detail) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", Problem.CONTENT_TYPE);
        if (status == UNAVAILABLE) {
            headers.put("Retry-After", "1");
        }
        return new WebAnswer(status, headers, new Problem(status, detail).json());
    }

    /** What to say of a request that can be read in two ways. */
    public static WebAnswer of(RefusedRequestException refused) {
        return problem(refused.status(), refused.detail());
    }

    /** The body in UTF-8. */
    public byte[] bytes() {
        return body.getBytes(StandardCharsets.UTF_8);
    }
}
