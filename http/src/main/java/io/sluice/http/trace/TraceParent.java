package io.sluice.http.trace;

import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The header {@code traceparent} of W3C Trace Context. Immutable.
 *
 * @param traceId the trace id, 32 lower-case hexadecimal digits, not all zero
 * @param spanId the span id, 16 lower-case hexadecimal digits, not all zero
 * @param sampled whether the caller reports that the trace is recorded
 */
public record TraceParent(String traceId, String spanId, boolean sampled) {

    /** The name of the header. */
    public static final String HEADER = "traceparent";

    /** The name of the header that vendors use beside it. It has no meaning without a valid {@link #HEADER}. */
    public static final String STATE = "tracestate";

    private static final HexFormat HEX = HexFormat.of();

    /** Positions in {@code 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01}. */
    private static final int TRACE_AT = 3;

    private static final int SPAN_AT = 36;
    private static final int FLAGS_AT = 53;
    private static final int LENGTH = 55;

    private static final String FIRST_VERSION = "00";
    private static final String INVALID_VERSION = "ff";
    private static final int SAMPLED = 1;

    /** Returns the content of the header, or null unless there is exactly one header and it is valid. */
    public static @Nullable TraceParent read(List<String> lines) {
        return lines.size() == 1 ? parse(lines.get(0)) : null;
    }

    /**
     * Parses a text. Returns null if it is invalid. Text of a later version is valid if it begins like text of the first version, because
     * W3C promises that later versions only append.
     */
    public static @Nullable TraceParent parse(String text) {
        if (text.length() < LENGTH || !isHex(text, 0, 2) || text.startsWith(INVALID_VERSION)) {
            return null;
        }
        boolean tooLong = text.length() > LENGTH && (text.startsWith(FIRST_VERSION) || text.charAt(LENGTH) != '-');
        if (tooLong
                || text.charAt(TRACE_AT - 1) != '-'
                || text.charAt(SPAN_AT - 1) != '-'
                || text.charAt(FLAGS_AT - 1) != '-'
                || !isId(text, TRACE_AT, SPAN_AT - 1)
                || !isId(text, SPAN_AT, FLAGS_AT - 1)
                || !isHex(text, FLAGS_AT, LENGTH)) {
            return null;
        }
        return new TraceParent(
                text.substring(TRACE_AT, SPAN_AT - 1),
                text.substring(SPAN_AT, FLAGS_AT - 1),
                (Character.digit(text.charAt(LENGTH - 1), 16) & SAMPLED) != 0);
    }

    /** Returns the header as it is sent to other systems. */
    public String text() {
        return FIRST_VERSION + '-' + traceId + '-' + spanId + (sampled ? "-01" : "-00");
    }

    /** Returns a new random trace id. It is not a secret. */
    public static String newTraceId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return HEX.toHexDigits(random.nextLong()) + newSpanId();
    }

    /** Returns a new random span id. It is not a secret. */
    public static String newSpanId() {
        long id;
        do {
            id = ThreadLocalRandom.current().nextLong();
        } while (id == 0);
        return HEX.toHexDigits(id);
    }

    /** Returns whether these are lower-case hexadecimal digits and not all zero. */
    private static boolean isId(String text, int from, int to) {
        boolean zero = true;
        for (int i = from; i < to && zero; i++) {
            zero = text.charAt(i) == '0';
        }
        return !zero && isHex(text, from, to);
    }

    private static boolean isHex(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }
}
