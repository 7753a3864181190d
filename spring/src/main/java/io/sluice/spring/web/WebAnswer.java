package io.sluice.spring.web;

import io.sluice.http.answer.Problem;
import io.sluice.http.request.RefusedRequestException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A response that is sent instead of the application's response. Immutable.
 *
 * @param headers all headers except the content length
 */
public record WebAnswer(int status, Map<String, String> headers, String body) {

    private static final int UNAVAILABLE = 503;

    public WebAnswer {
        headers = Map.copyOf(headers);
    }

    /** Returns the response to a request that is not served although no rule refused it. */
    static WebAnswer problem(int status, String detail) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", Problem.CONTENT_TYPE);
        if (status == UNAVAILABLE) {
            headers.put("Retry-After", "1");
        }
        return new WebAnswer(status, headers, new Problem(status, detail).json());
    }

    /** Returns the response to an ambiguous or unreadable request. */
    public static WebAnswer of(RefusedRequestException refused) {
        return problem(refused.status(), refused.detail());
    }

    /** Returns the body in UTF-8. */
    public byte[] bytes() {
        return body.getBytes(StandardCharsets.UTF_8);
    }
}
