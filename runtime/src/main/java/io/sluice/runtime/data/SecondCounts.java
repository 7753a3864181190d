package io.sluice.runtime.data;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The decisions of a process in one second. Each decision is counted once: for the rule whose limit is reported, or for the empty name if
 * no rule matched. A shadow limit that would have refused is counted for its own rule.
 *
 * @param second the time in seconds since 1970, by the clock of the process
 * @param rules the counts of each rule that had any
 * @param latencies the latencies of all decisions
 */
public record SecondCounts(long second, Map<String, Figures> rules, Latencies latencies) {

    private static final int VERSION = 1;
    private static final long LATEST = 253_402_300_799L;

    public SecondCounts {
        rules = Map.copyOf(rules);
    }

    /** Returns the sum over all rules. */
    public Figures total() {
        return rules.values().stream().reduce(Figures.NONE, Figures::plus);
    }

    public byte[] toBytes() {
        PackWriter pack = new PackWriter().number(VERSION).number(second).number(rules.size());
        rules.forEach((rule, figures) -> figures.write(pack.text(rule)));
        latencies.write(pack);
        return pack.toBytes();
    }

    /** Reads what {@link #toBytes} writes. Throws {@link IllegalArgumentException} if the bytes have another form. */
    public static SecondCounts of(byte[] bytes) {
        PackReader pack = new PackReader(bytes);
        if (pack.number() != VERSION) {
            throw new IllegalArgumentException("counts: of another version (expected: " + VERSION + ")");
        }
        long second = pack.number(LATEST);
        int size = pack.count();
        Map<String, Figures> rules = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            rules.merge(pack.text(), Figures.read(pack), Figures::plus);
        }
        return new SecondCounts(second, rules, Latencies.read(pack));
    }
}
