package io.sluice.replay.advice;

import io.sluice.core.Decision;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.Verdict;
import io.sluice.replay.log.LoggedRequest;
import io.sluice.replay.run.RulingObserver;
import io.sluice.rules.caller.CallerKey;
import io.sluice.rules.caller.CallerKeys;
import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the refusals of each limit in the replay of the suggested rules, and identifies the callers that determine the numbers. Ignores
 * callers with numbers of their own. Not thread-safe.
 */
final class RefusalMeter implements RulingObserver {

    private static final int SHOWN = 3;

    /** The name of a caller under {@code privacy: hash}. */
    private static final String HIDDEN = "hidden";

    private final RuleSet set;
    private final KeySettings settings = KeySettings.ofThisProcess();
    private final CallerKeys keys = settings.keys();
    private final CallerMarks marks = new CallerMarks(settings);
    private final Map<String, Refusals> byLimit = new LinkedHashMap<>();

    /** The limits of shadow rules. Rulings name such a limit only if it would refuse. */
    private final List<Refusals> inShadow;

    /** The refusals of one limit. */
    static final class Refusals {

        private final LimitCase limit;
        private final Limit suggested;
        private final CallerTable callers;
        private final Map<Long, String> names = new HashMap<>();
        private List<Long> setters = List.of();
        private List<Long> leftOut = List.of();
        long refused;

        Refusals(LimitCase limit, Share headroom, CallerTable callers) {
            this.limit = limit;
            this.suggested = limit.suggested(headroom);
            this.callers = callers;
            if (limit.isAdvised()) {
                setters = ends(true);
                leftOut = ends(false);
            }
        }

        /** Returns the callers with the highest need among the callers that the number covers, or among the other callers. */
        private List<Long> ends(boolean enough) {
            long least = LimitNumbers.need(limit.needed(), limit.number);
            List<long[]> found = new ArrayList<>();
            Comparator<long[]> order =
                    Comparator.<long[]>comparingLong(each -> -each[1]).thenComparingLong(each -> each[0]);
            limit.needs.forEach((hash, need) -> {
                if (need <= least == enough) {
                    found.add(new long[] {hash, need});
                    if (found.size() > 1_000) {
                        found.sort(order);
                        found.subList(SHOWN, found.size()).clear();
                    }
                }
            });
            found.sort(order);
            return found.stream()
                    .limit(SHOWN)
                    .filter(each -> !enough || each[1] == found.get(0)[1])
                    .map(each -> each[0])
                    .toList();
        }

        boolean isNameless() {
            return names.size() < setters.size() + leftOut.size();
        }

        long callersRefused() {
            return callers.size();
        }

        List<CallerNeed> setters() {
            return named(setters);
        }

        List<CallerNeed> leftOut() {
            return named(leftOut);
        }

        private List<CallerNeed> named(List<Long> hashes) {
            return hashes.stream()
                    .map(hash -> new CallerNeed(names.getOrDefault(hash, HIDDEN), limit.needs.get(hash)))
                    .toList();
        }
    }

    RefusalMeter(RuleSet set, Map<String, LimitCase> cases, Share headroom, CallerTable.Room room) {
        this.set = set;
        cases.forEach((id, limit) -> byLimit.put(id, new Refusals(limit, headroom, new CallerTable(room))));
        this.inShadow = byLimit.values().stream()
                .filter(each -> each.limit.rule.shadow())
                .toList();
    }

    Refusals of(LimitCase limit) {
        Refusals own = byLimit.get(limit.id());
        if (own == null) {
            throw new IllegalArgumentException("limit: " + limit.id() + " (expected: one of the rules)");
        }
        return own;
    }

    @Override
    public void settled(LoggedRequest request, Ruling.Settled ruling) {
        Attributes attributes = request.attributes();
        for (Decision decision : ruling.decisions()) {
            List<Demand> demands = decision.ask().demands();
            List<Verdict> verdicts = decision.outcome().verdicts();
            for (int i = 0; i < demands.size(); i++) {
                Demand demand = demands.get(i);
                Refusals own = byLimit.get(demand.label().limit());
                if (own != null && demand.limit().equals(own.suggested)) {
                    name(own, demand.key(), attributes);
                    if (!verdicts.get(i).fits()) {
                        refuse(own, demand.key(), attributes);
                    }
                }
            }
        }
        for (Refusals own : inShadow) {
            if (own.isNameless() && ruling.matched().contains(own.limit.rule.id())) {
                name(own, key(own, attributes), attributes);
            }
        }
        for (Label label : ruling.shadowRefused()) {
            Refusals own = byLimit.get(label.limit());
            if (own != null) {
                refuse(own, key(own, attributes), attributes);
            }
        }
    }

    private String key(Refusals own, Attributes attributes) {
        CallerKey key = keys.key(own.limit.own.by(), own.limit.own.absent(), own.limit.own.privacy(), attributes);
        return key instanceof CallerKey.Of of ? of.text() : "";
    }

    private static void refuse(Refusals own, String key, Attributes attributes) {
        own.refused++;
        own.callers.raise(CallerTable.hash(key, attributes.get("ip")), 1);
    }

    private void name(Refusals own, String key, Attributes attributes) {
        if (own.isNameless()) {
            long hash = CallerTable.hash(key, null);
            if (!own.names.containsKey(hash) && (own.setters.contains(hash) || own.leftOut.contains(hash))) {
                own.names.put(hash, masked(own, key, attributes));
            }
        }
    }

    private String masked(Refusals own, String key, Attributes attributes) {
        if (key.isEmpty()) {
            return "all together";
        }
        return marks.caller(set, own.limit.rule, own.limit.id(), attributes)
                .map(CallerMark::masked)
                .filter(text -> !text.isEmpty())
                .orElse(HIDDEN);
    }
}
