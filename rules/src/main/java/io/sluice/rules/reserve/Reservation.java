package io.sluice.rules.reserve;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Settlement;
import io.sluice.rules.cost.AnswerAttribute;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The permits that an allowed request has reserved of all its limits. They are settled once the real cost is known; until then they stay
 * charged. Immutable.
 *
 * @param id the name of the reservation; each count settles a name once
 * @param issuer the name of the process that decided. Only that process can settle limits that it counts itself
 * @param limits the limits, at least one
 */
public record Reservation(String id, String issuer, List<ReservedLimit> limits) {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int NAME_BYTES = 15;

    public Reservation {
        limits = List.copyOf(limits);
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("limits: empty (expected: at least one)");
        }
    }

    /** Returns a new name for a reservation or an issuer, which cannot be guessed. */
    public static String newName() {
        byte[] bytes = new byte[NAME_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Returns the limit with this name in reports; empty if none of its permits are reserved. */
    public Optional<ReservedLimit> limit(String id) {
        return limits.stream().filter(limit -> limit.id().equals(id)).findFirst();
    }

    /** Returns the attributes of the answer that settle it; empty if only the caller knows the figures. */
    public Set<AnswerAttribute> answerAttributes() {
        Set<AnswerAttribute> all = new LinkedHashSet<>();
        for (ReservedLimit limit : limits) {
            if (limit.by() != null) {
                all.add(limit.by());
            }
        }
        return all;
    }

    /**
     * Returns the real figures of the limits, from the figures in an answer. A figure above the maximum of a request counts as this
     * maximum.
     *
     * @param answer the figures in the answer, 0 or more
     * @return the real figures by the name of the limit, without limits whose figure is missing
     */
    public Map<String, Long> actual(Map<AnswerAttribute, Long> answer) {
        Map<String, Long> actual = new HashMap<>();
        for (ReservedLimit limit : limits) {
            Long figure = limit.by() == null ? null : answer.get(limit.by());
            if (figure != null && figure >= 0) {
                actual.put(limit.id(), Math.min(figure, Limit.MAX_PERMITS));
            }
        }
        return actual;
    }

    /** Returns the settlement of one of its limits. */
    public Settlement settlement(ReservedLimit limit, long actual) {
        return limit.settlement(id, actual);
    }
}
