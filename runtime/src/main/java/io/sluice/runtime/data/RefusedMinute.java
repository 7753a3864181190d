package io.sluice.runtime.data;

import io.sluice.rules.caller.CallerMark;
import java.util.ArrayList;
import java.util.List;

/**
 * The callers that a process refused in one minute.
 *
 * @param minute the time in minutes since 1970, by the clock of the process
 * @param groups the callers of each limit that refused, and all addresses, users and tenants that were refused
 * @param tenants the decisions for each tenant
 */
public record RefusedMinute(long minute, List<Group> groups, List<Tenant> tenants) {

    private static final int VERSION = 1;
    private static final long LATEST = 253_402_300_799L / 60;

    /** The maximum number of groups, and of tenants. */
    private static final int MOST = 2_000;

    public RefusedMinute {
        groups = List.copyOf(groups);
        tenants = List.copyOf(tenants);
    }

    /**
     * Refused callers of one kind.
     *
     * @param rule the rule that refused; empty for the refusals of all rules
     * @param limit the name of the limit in reports; empty if the rule itself denied, and for the refusals of all rules
     * @param attributes the attributes that identify a caller, such as {@code ip} or {@code tenant,user}
     * @param refused the number of refusals
     * @param frequent the callers and their refusals, as {@link FrequentCallers}
     * @param distinct the number of different callers, as {@link DistinctCallers}
     */
    @SuppressWarnings("ArrayRecordComponent") // packed once, read once
    public record Group(String rule, String limit, String attributes, long refused, byte[] frequent, byte[] distinct) {}

    /** The counts of a tenant's requests. */
    public record Tenant(CallerMark tenant, Figures figures) {}

    public byte[] toBytes() {
        PackWriter pack = new PackWriter().number(VERSION).number(minute).number(groups.size());
        for (Group group : groups) {
            pack.text(group.rule)
                    .text(group.limit)
                    .text(group.attributes)
                    .number(group.refused)
                    .bytes(group.frequent)
                    .bytes(group.distinct);
        }
        pack.number(tenants.size());
        for (Tenant each : tenants) {
            each.figures.write(pack.text(each.tenant.masked()).text(each.tenant.hash()));
        }
        return pack.toBytes();
    }

    /** Reads what {@link #toBytes} writes. Throws {@link IllegalArgumentException} if the bytes have another form. */
    public static RefusedMinute of(byte[] bytes) {
        PackReader pack = new PackReader(bytes);
        if (pack.number() != VERSION) {
            throw new IllegalArgumentException("callers: of another version (expected: " + VERSION + ")");
        }
        long minute = pack.number(LATEST);
        List<Group> groups = new ArrayList<>();
        int size = (int) pack.number(MOST);
        for (int i = 0; i < size; i++) {
            groups.add(new Group(
                    pack.text(), pack.text(), pack.text(), pack.number(1L << 48), pack.bytes(), pack.bytes()));
        }
        List<Tenant> tenants = new ArrayList<>();
        int known = (int) pack.number(MOST);
        for (int i = 0; i < known; i++) {
            tenants.add(new Tenant(new CallerMark(pack.text(), pack.text()), Figures.read(pack)));
        }
        return new RefusedMinute(minute, groups, tenants);
    }
}
