package io.sluice.center.callers;

import io.sluice.rules.caller.CallerMark;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.RefusedMinute;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The callers that the whole fleet refused in a minute or an hour. Bounded: if there are too many groups, the groups with the
 * most refusals are kept, and if there are too many callers, the most frequent callers of each group. Not thread-safe.
 */
final class CallerGroups {

    static final int MOST_GROUPS = 1_000;
    static final int MOST_TENANTS = 1_000;

    /** The maximum number of callers of all groups in a file. */
    static final int MOST_CALLERS = 16_384;

    private static final int LONGEST_NAME = 300;
    private static final Set<String> OF_ALL_RULES = Set.of("ip", "user", "tenant");

    /** Names of rules, limits and attributes contain no line breaks and no control characters. */
    private static final Pattern NAME = Pattern.compile("[^\\p{C}\\p{Zl}\\p{Zp}]{0," + LONGEST_NAME + "}");

    private final Map<GroupName, CallerGroup> groups = new LinkedHashMap<>();
    private final Map<String, RefusedMinute.Tenant> tenants = new HashMap<>();
    private long dropped;

    /**
     * A checked report of a node.
     *
     * @param groups the groups by their names
     */
    record Checked(Map<GroupName, CallerGroup> groups, List<RefusedMinute.Tenant> tenants) {

        /** Throws {@link IllegalArgumentException} if the report cannot be the callers of a minute. */
        static Checked of(RefusedMinute sent) {
            Map<GroupName, CallerGroup> groups = new LinkedHashMap<>();
            for (RefusedMinute.Group each : sent.groups()) {
                GroupName name = GroupName.of(each);
                if (!NAME.matcher(name.rule()).matches()
                        || !NAME.matcher(name.limit()).matches()
                        || !NAME.matcher(name.attributes()).matches()) {
                    throw new IllegalArgumentException(
                            "group: not a name (expected: a rule, a limit and attributes of at most " + LONGEST_NAME
                                    + " characters)");
                }
                if (name.isOfAllRules() && (!name.limit().isEmpty() || !OF_ALL_RULES.contains(name.attributes()))) {
                    throw new IllegalArgumentException(
                            "group: of all rules by other attributes (expected: ip, user or tenant)");
                }
                groups.computeIfAbsent(name, unused -> new CallerGroup(CallerGroup.MOST_CALLERS))
                        .merge(CallerGroup.ofNode(each));
            }
            List<RefusedMinute.Tenant> tenants = sent.tenants().stream()
                    .map(each -> new RefusedMinute.Tenant(CallerGroup.checked(each.tenant()), each.figures()))
                    .toList();
            return new Checked(groups, tenants);
        }

        /** Returns the same report without some callers. */
        Checked without(Set<String> hashes) {
            if (hashes.isEmpty()) {
                return this;
            }
            for (CallerGroup each : groups.values()) {
                int unused = each.erase(hashes);
            }
            return new Checked(
                    groups,
                    tenants.stream()
                            .filter(each -> !hashes.contains(each.tenant().hash()))
                            .toList());
        }
    }

    /** Reads the content of a file. */
    static CallerGroups of(CallerFile file) {
        CallerGroups all = new CallerGroups();
        for (RefusedMinute.Group each : file.content().groups()) {
            all.groups.put(GroupName.of(each), CallerGroup.of(each));
        }
        file.content().tenants().forEach(each -> all.tenants.put(each.tenant().hash(), each));
        all.dropped = file.dropped();
        return all;
    }

    void add(Checked sent) {
        sent.groups.forEach(this::add);
        sent.tenants.forEach(this::add);
        if (callers() > 2 * MOST_CALLERS) {
            cut();
        }
    }

    void add(CallerGroups other) {
        other.groups.forEach(this::add);
        other.tenants.values().forEach(this::add);
        dropped += other.dropped;
        if (callers() > 2 * MOST_CALLERS) {
            cut();
        }
    }

    private void add(GroupName name, CallerGroup more) {
        CallerGroup known = groups.get(name);
        if (known == null && groups.size() >= MOST_GROUPS) {
            GroupName least = groups.entrySet().stream()
                    .filter(each -> !each.getKey().isOfAllRules())
                    .min(Comparator.comparingLong(each -> each.getValue().refused()))
                    .map(Map.Entry::getKey)
                    .orElse(name);
            CallerGroup smallest = groups.get(least);
            if (smallest == null || (smallest.refused() >= more.refused() && !name.isOfAllRules())) {
                dropped += more.refused();
                return;
            }
            dropped += smallest.refused();
            groups.remove(least);
        }
        if (known == null) {
            known = new CallerGroup(CallerGroup.MOST_CALLERS);
            groups.put(name, known);
        }
        known.merge(more);
    }

    private void add(RefusedMinute.Tenant more) {
        String hash = more.tenant().hash();
        RefusedMinute.Tenant known = tenants.get(hash);
        if (known == null && tenants.size() >= MOST_TENANTS) {
            dropped += more.figures().refused();
            return;
        }
        tenants.put(hash, known == null ? more : sum(known, more));
    }

    /** If one of the two has no text, the value is hidden now, so the sum has no text either. */
    static RefusedMinute.Tenant sum(RefusedMinute.Tenant one, RefusedMinute.Tenant other) {
        Figures figures = one.figures().plus(other.figures());
        CallerMark mark = one.tenant().masked().isEmpty() ? one.tenant() : other.tenant();
        return new RefusedMinute.Tenant(mark, figures);
    }

    /** Keeps only the most frequent callers of each group, so that all of them fit into a file. */
    private void cut() {
        int most = CallerGroup.MOST_CALLERS;
        while (callers(most) > MOST_CALLERS) {
            most = most * 3 / 4;
        }
        for (Map.Entry<GroupName, CallerGroup> each : groups.entrySet()) {
            if (!each.getKey().isOfAllRules()) {
                each.getValue().cut(most);
            }
        }
    }

    private int callers(int most) {
        return groups.entrySet().stream()
                .mapToInt(each -> {
                    int callers = each.getValue().callers();
                    return each.getKey().isOfAllRules() ? callers : Math.min(callers, most);
                })
                .sum();
    }

    private int callers() {
        return callers(Integer.MAX_VALUE);
    }

    /** Removes callers. Returns how many of them were found. */
    int erase(Set<String> hashes) {
        int found =
                groups.values().stream().mapToInt(each -> each.erase(hashes)).sum();
        for (String hash : hashes) {
            found += tenants.remove(hash) == null ? 0 : 1;
        }
        return found;
    }

    /** Returns all groups as the content of a file. */
    CallerFile pack(long position, long time) {
        if (callers() > MOST_CALLERS) {
            cut();
        }
        List<RefusedMinute.Group> packed = new ArrayList<>();
        groups.forEach((name, group) -> packed.add(group.pack(name)));
        return new CallerFile(position, dropped, new RefusedMinute(time, packed, List.copyOf(tenants.values())));
    }
}
