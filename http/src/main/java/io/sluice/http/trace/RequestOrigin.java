package io.sluice.http.trace;

import io.sluice.rules.pattern.Origin;
import java.util.List;
import java.util.function.Function;

/** Reads the id and trace of a request in other systems from its headers. Invalid text counts as absent. */
public final class RequestOrigin {

    /** The name of the header with the id of a request, in lower case. */
    public static final String REQUEST_ID = "x-request-id";

    private static final int LONGEST = 128;

    private RequestOrigin() {}

    /**
     * Reads the headers of a call.
     *
     * @param lines returns all values of a header by its name in lower case; an empty list if there is none
     */
    public static Origin of(Function<String, List<String>> lines) {
        TraceParent parent = TraceParent.read(lines.apply(TraceParent.HEADER));
        String id = requestId(lines.apply(REQUEST_ID));
        if (parent == null) {
            return id.isEmpty() ? Origin.UNKNOWN : new Origin(id, "", "", false);
        }
        return new Origin(id, parent.traceId(), parent.spanId(), parent.sampled());
    }

    /** Returns the id of a request if it has exactly one id that is safe to log, otherwise an empty text. */
    public static String requestId(List<String> lines) {
        return lines.size() == 1 && isSafe(lines.get(0)) ? lines.get(0) : "";
    }

    /** Returns whether an id is short and consists of letters, digits, dots, underscores and hyphens. */
    private static boolean isSafe(String id) {
        if (id.isEmpty() || id.length() > LONGEST) {
            return false;
        }
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!letter && c != '.' && c != '_' && c != '-') {
                return false;
            }
        }
        return true;
    }
}
