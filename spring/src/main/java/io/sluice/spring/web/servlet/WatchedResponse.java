package io.sluice.spring.web.servlet;

import io.sluice.spring.web.AnswerSettlement;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** A response whose body is read by an {@link AnswerSettlement} while the application writes it. */
final class WatchedResponse extends ObservedResponse {

    private final AnswerSettlement settlement;

    WatchedResponse(HttpServletResponse response, AnswerSettlement settlement) {
        super(response);
        this.settlement = settlement;
    }

    /** Settles the reservations by the written response. */
    void end(boolean complete, int status) {
        settlement.end(complete, status, this::values);
    }

    private List<String> values(String name) {
        // Containers treat the content type apart from the other headers.
        String type = name.equals("content-type") ? getContentType() : null;
        return type == null ? List.copyOf(getHeaders(name)) : List.of(type);
    }

    @Override
    void writing(byte[] bytes, int offset, int count) {
        if (settlement.wantsBody()) {
            boolean whole = offset == 0 && count == bytes.length;
            settlement.piece(whole ? bytes : Arrays.copyOfRange(bytes, offset, offset + count), this::values);
        }
    }

    @Override
    void writing(CharSequence text) {
        if (settlement.wantsBody()) {
            // The structure of JSON and its numbers are ASCII in every charset of a response.
            settlement.piece(text.toString().getBytes(StandardCharsets.UTF_8), this::values);
        }
    }

    @Override
    public void reset() {
        super.reset();
        settlement.restart();
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        settlement.restart();
    }
}
