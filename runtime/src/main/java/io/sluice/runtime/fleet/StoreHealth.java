package io.sluice.runtime.fleet;

import static io.sluice.runtime.fleet.ReportText.LATEST_MILLIS;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.rules.yaml.PrintableText;

/**
 * The health of a process's store during the last ten seconds. Immutable.
 *
 * @param p50Micros the time that half of the answered calls did not exceed, in microseconds; 0 without an answer
 * @param p99Micros the time that 99 % of the answered calls did not exceed, in microseconds; 0 without an answer
 * @param calls the calls that ended, with or without an answer. One call can make many decisions
 * @param errors the calls without an answer, or with one that arrived too late
 * @param asOfMillis when this was measured, by the clock of the process, in milliseconds since 1970
 */
public record StoreHealth(Kind kind, long p50Micros, long p99Micros, long calls, long errors, long asOfMillis) {

    /** The places of the counts. */
    public enum Kind {
        REDIS("redis"),
        /** The memory of the process, which makes no calls. */
        MEMORY("memory");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns the name on the wire and in the API. */
        public String word() {
            return word;
        }
    }

    /** The maximum of each number, so that sums over a fleet cannot overflow. */
    private static final long MOST = 1L << 48;

    public StoreHealth {
        check("p50_us", p50Micros);
        check("p99_us", p99Micros);
        check("calls", calls);
        check("errors", errors);
        ReportText.checkMillis("as_of", asOfMillis);
    }

    /** Returns the health of counts that stay in the process. */
    public static StoreHealth ofMemory(long asOfMillis) {
        return new StoreHealth(Kind.MEMORY, 0, 0, 0, 0, asOfMillis);
    }

    void write(JsonLine line) {
        line.field("kind", kind.word())
                .field("p50_us", p50Micros)
                .field("p99_us", p99Micros)
                .field("calls", calls)
                .field("errors", errors)
                .field("as_of", asOfMillis);
    }

    static StoreHealth read(JsonObject fields) {
        return new StoreHealth(
                kind(fields.text("kind")),
                fields.whole("p50_us", 0, MOST),
                fields.whole("p99_us", 0, MOST),
                fields.whole("calls", 0, MOST),
                fields.whole("errors", 0, MOST),
                fields.whole("as_of", 0, LATEST_MILLIS));
    }

    private static Kind kind(String word) {
        for (Kind kind : Kind.values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("kind: " + PrintableText.text(word) + " (expected: redis or memory)");
    }

    private static void check(String name, long number) {
        if (number < 0 || number > MOST) {
            throw new IllegalArgumentException(name + ": " + number + " (expected: 0.." + MOST + ")");
        }
    }
}
