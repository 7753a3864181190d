package io.sluice.runtime.fleet;

import static io.sluice.runtime.fleet.ReportText.LATEST_MILLIS;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;

/**
 * The health of a process's limiter. Immutable.
 *
 * @param modeSinceMillis since when it decides with its shared store, or since when it decides without it, in milliseconds since 1970
 * @param store the health of its store during the last ten seconds
 * @param onFailure the policies of its rules for the time when the store is unavailable
 */
public record LimiterHealth(long modeSinceMillis, StoreHealth store, OnFailure onFailure) {

    /** The maximum number of rules that a report can count. */
    private static final long MOST_RULES = 1_000_000;

    public LimiterHealth {
        ReportText.checkMillis("mode_since", modeSinceMillis);
    }

    /**
     * The numbers of enabled rules by their policy while the shared store is unavailable. Rules that never ask the store are local ones.
     */
    public record OnFailure(int open, int local, int closed) {

        public static final OnFailure NONE = new OnFailure(0, 0, 0);

        public OnFailure {
            if (Math.min(open, Math.min(local, closed)) < 0) {
                throw new IllegalArgumentException("on_failure: a negative number of rules (expected: 0 or more)");
            }
        }
    }

    void write(JsonLine line) {
        line.field("mode_since", modeSinceMillis);
        store.write(line.begin("store"));
        line.end();
        line.begin("on_failure")
                .field("open", (long) onFailure.open())
                .field("local", (long) onFailure.local())
                .field("closed", (long) onFailure.closed())
                .end();
    }

    static LimiterHealth read(JsonObject fields) {
        return new LimiterHealth(
                fields.whole("mode_since", 0, LATEST_MILLIS),
                StoreHealth.read(required(fields, "store")),
                onFailure(required(fields, "on_failure")));
    }

    private static OnFailure onFailure(JsonObject fields) {
        return new OnFailure(
                (int) fields.whole("open", 0, MOST_RULES), (int) fields.whole("local", 0, MOST_RULES), (int)
                        fields.whole("closed", 0, MOST_RULES));
    }

    private static JsonObject required(JsonObject fields, String name) {
        return fields.object(name)
                .orElseThrow(() -> new IllegalArgumentException(name + ": missing (expected: an object)"));
    }
}
