package io.sluice.http.answer;

import io.sluice.core.limit.Limit;
import io.sluice.rules.evaluate.Ruling;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The headers of an answer, the same for every entry point. Times are whole seconds, rounded up. */
public final class AnswerHeaders {

    private static final long MICROS = 1_000_000;

    /** The largest integer of a structured field (RFC 9651). */
    private static final long LARGEST = 999_999_999_999_999L;

    /** The length from which on no more members are added. */
    private static final int MOST_PRESENT = 2_048;

    private AnswerHeaders() {}

    /**
     * Returns {@code RateLimit-Policy} and {@code RateLimit} for the reported limit, and {@code Retry-After} for a refusal if waiting
     * helps. The {@code t} of {@code RateLimit} is the time until a retry may pass if the request is refused, otherwise the time until the
     * limit is unused.
     */
    public static Map<String, String> of(Ruling.Settled ruling) {
        return of(ruling, false);
    }

    /**
     * Returns the same headers, optionally with the older headers.
     *
     * @param older whether to add {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset} (in seconds from now)
     */
    public static Map<String, String> of(Ruling.Settled ruling, boolean older) {
        Map<String, String> headers = new LinkedHashMap<>();
        Ruling.Reported reported = ruling.reported();
        if (reported != null) {
            String quota = number(reported.limit().capacity());
            String left = number(reported.remaining());
            Optional<Duration> until = ruling.allowed() ? reported.resetAfter() : ruling.retryAfter();
            headers.put("RateLimit-Policy", policy(reported));
            headers.put("RateLimit", state(reported, until));
            for (Ruling.Reported cost : ruling.costs()) {
                if (!cost.id().equals(reported.id())) {
                    headers.merge("RateLimit-Policy", policy(cost), AnswerHeaders::list);
                    headers.merge("RateLimit", state(cost, cost.resetAfter()), AnswerHeaders::list);
                }
            }
            if (older) {
                headers.put("X-RateLimit-Limit", quota);
                headers.put("X-RateLimit-Remaining", left);
                until.ifPresent(span -> headers.put("X-RateLimit-Reset", Long.toString(seconds(span))));
            }
        }
        if (!ruling.allowed() && !ruling.looked()) {
            ruling.retryAfter().ifPresent(span -> headers.put("Retry-After", Long.toString(seconds(span))));
        }
        return headers;
    }

    private static String policy(Ruling.Reported reported) {
        Limit limit = reported.limit();
        long window = (limit.windowMicros() + MICROS - 1) / MICROS;
        return text(reported.id()) + ";q=" + number(limit.capacity()) + (window == 0 ? "" : ";w=" + window);
    }

    private static String state(Ruling.Reported reported, Optional<Duration> until) {
        return text(reported.id()) + ";r=" + number(reported.remaining())
                + until.map(span -> ";t=" + seconds(span)).orElse("");
    }

    private static String list(String members, String member) {
        return members.length() > MOST_PRESENT ? members : members + ", " + member;
    }

    /**
     * Adds members to the value of {@code RateLimit} or {@code RateLimit-Policy}. Each replaces a member of the same name. A value
     * that is already very long stays as it is.
     *
     * @param present the members so far; null if there are none
     * @param more the members to add, one or several
     */
    public static String join(@Nullable String present, String more) {
        if (present == null || present.isBlank()) {
            return more;
        }
        String joined = present;
        for (int start = 0; start < more.length(); ) {
            int end = memberEnd(more, start);
            String member = more.substring(start, end).strip();
            joined = member.isEmpty() ? joined : joinOne(joined, member);
            start = end + 1;
        }
        return joined;
    }

    private static String joinOne(String present, String member) {
        String name = member.substring(0, nameEnd(member, 0));
        StringBuilder joined = new StringBuilder(present.length() + member.length() + 2);
        for (int start = 0; start < present.length(); ) {
            int end = memberEnd(present, start);
            String other = present.substring(start, end).strip();
            if (!other.isEmpty() && !other.substring(0, nameEnd(other, 0)).equals(name)) {
                joined.append(other).append(", ");
            }
            start = end + 1;
        }
        return joined.length() > MOST_PRESENT ? present : joined.append(member).toString();
    }

    /** Returns the position after the name, which may be in quotes. */
    private static int nameEnd(String text, int start) {
        int at = start;
        boolean quoted = false;
        while (at < text.length() && (quoted || (text.charAt(at) != ';' && text.charAt(at) != ','))) {
            if (text.charAt(at) == '"') {
                quoted = !quoted;
            } else if (quoted && text.charAt(at) == '\\') {
                at++;
            }
            at++;
        }
        return Math.min(at, text.length());
    }

    /** Returns the position of the comma after a member, or the end. */
    private static int memberEnd(String text, int start) {
        int at = nameEnd(text, start);
        while (at < text.length() && text.charAt(at) == ';') {
            at = nameEnd(text, at + 1);
        }
        return at;
    }

    static long seconds(Duration span) {
        return Math.min(LARGEST, span.getSeconds() + (span.getNano() > 0 ? 1 : 0));
    }

    private static String number(long number) {
        return Long.toString(Math.min(LARGEST, number));
    }

    /**
     * Returns the string form of a structured field: printable ASCII with two characters escaped. All other characters of an id
     * are percent-encoded.
     */
    static String text(String id) {
        if (isPlain(id)) {
            return '"' + id + '"';
        }
        StringBuilder text = new StringBuilder(id.length() + 2).append('"');
        for (byte octet : id.getBytes(StandardCharsets.UTF_8)) {
            if (octet == '"' || octet == '\\') {
                text.append('\\').append((char) octet);
            } else if (octet >= ' ' && octet < 0x7f) {
                text.append((char) octet);
            } else {
                text.append(String.format("%%%02X", octet & 0xff));
            }
        }
        return text.append('"').toString();
    }

    private static boolean isPlain(String id) {
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            if (c < ' ' || c >= 0x7f || c == '"' || c == '\\') {
                return false;
            }
        }
        return true;
    }
}
