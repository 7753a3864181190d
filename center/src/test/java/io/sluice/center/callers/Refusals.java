package io.sluice.center.callers;

import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.DistinctCallers;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.FrequentCallers;
import io.sluice.runtime.data.RefusedMinute;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The refusals of one node in one minute, packed as a node does. */
public final class Refusals {

    private static final int NODE_SKETCH = 128;

    private final long minute;
    private final Map<List<String>, Group> groups = new LinkedHashMap<>();
    private final List<RefusedMinute.Tenant> tenants = new ArrayList<>();

    private static final class Group {
        private final FrequentCallers frequent = new FrequentCallers(NODE_SKETCH);
        private final DistinctCallers distinct = new DistinctCallers();
        private long refused;
    }

    /**
     * Creates a minute without refusals.
     *
     * @param minute in minutes since 1970
     */
    public Refusals(long minute) {
        this.minute = minute;
    }

    /** Returns a caller; the same text gives the same hash. */
    public static CallerMark caller(String masked) {
        return new CallerMark(masked, hash(masked));
    }

    public static String hash(String text) {
        try {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    public Refusals add(String rule, String limit, String attributes, CallerMark caller, long times) {
        Group group = groups.computeIfAbsent(List.of(rule, limit, attributes), unused -> new Group());
        group.frequent.add(caller, times);
        group.distinct.add(caller);
        group.refused += times;
        return this;
    }

    /** Adds refusals of an address by a limit, and of all rules. */
    public Refusals address(String rule, String masked, long times) {
        return add(rule, rule + ".0", "ip", caller(masked), times).add("", "", "ip", caller(masked), times);
    }

    public Refusals tenant(String masked, long allowed, long refused) {
        tenants.add(new RefusedMinute.Tenant(caller(masked), new Figures(allowed, refused, 0, 0)));
        return this;
    }

    public byte[] pack() {
        List<RefusedMinute.Group> packed = new ArrayList<>();
        groups.forEach((name, group) -> packed.add(new RefusedMinute.Group(
                name.get(0),
                name.get(1),
                name.get(2),
                group.refused,
                group.frequent.toBytes(),
                group.distinct.toBytes())));
        return new RefusedMinute(minute, packed, tenants).toBytes();
    }
}
