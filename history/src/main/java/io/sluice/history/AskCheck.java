package io.sluice.history;

import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.AskTraces;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.history.UnspendEvent;
import io.sluice.core.spi.Verdict;
import io.sluice.history.Violation.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks the requests of one node: each is charged all or nothing, and each caller receives the decision. Each part of a
 * request is one step of the store. A request has several parts only if its counts are in several slots of a Cluster.
 */
final class AskCheck {

    private final Findings findings;
    private final boolean whole;
    private final boolean holes;
    private final Map<String, Asking> asks = new LinkedHashMap<>();

    /**
     * Creates a check.
     *
     * @param whole true if no event is missing
     * @param holes true if events are missing before others
     */
    AskCheck(Findings findings, boolean whole, boolean holes) {
        this.findings = findings;
        this.whole = whole;
        this.holes = holes;
    }

    /** The recorded facts about one request. */
    private static final class Asking {
        private final Map<String, Fragment> parts = new LinkedHashMap<>(2);
        private final Map<String, Integer> charged = new HashMap<>(2);
        private final List<AnswerEvent> answers = new ArrayList<>(1);
        private final Map<String, Long> spent = new HashMap<>(0);

        /** The number of admitted demands for no permits. */
        private int free;

        /** True if a spend event answered the request. */
        private boolean passedAlone;

        /** Returns true if there are as many steps of the store as demands in the request, so that none is missing. */
        private boolean isComplete() {
            int steps = parts.values().stream()
                    .mapToInt(part -> part.fitting + part.refusing)
                    .sum();
            return answers.stream()
                    .allMatch(answer -> answer.source() == AnswerEvent.Source.STORE && answer.demands() == steps);
        }

        private boolean isOfOnePart() {
            return parts.size() == 1 && !parts.keySet().iterator().next().contains("/");
        }
    }

    /** The number of demands by outcome. */
    private static final class Fragment {
        private String count = "";
        private long number;
        private boolean charging;
        private int fitting;
        private int refusing;
        private int charged;

        /** The number of admitted demands for no permits. */
        private int free;
    }

    void asked(StepEvent step, StepEvent.Asked asked) {
        if (asked.ask().isEmpty()) {
            return;
        }
        Verdict verdict = asked.verdict();
        Asking ask = ask(asked.ask());
        Fragment part = ask.parts.computeIfAbsent(asked.ask(), id -> new Fragment());
        part.count = step.count();
        part.number = step.number();
        part.charging = asked.charging();
        part.fitting += verdict.fits() ? 1 : 0;
        part.refusing += verdict.fits() ? 0 : 1;
        part.charged += verdict.granted() > 0 ? 1 : 0;
        if (verdict.fits() && !asked.demand().isCharged()) {
            part.free++;
            ask.free++;
        }
        if (verdict.granted() > 0 && ask.charged.merge(step.count(), 1, Integer::sum) == 2) {
            findings.add(
                    Kind.TWICE, step.count(), step.number(), "ask " + asked.ask() + " charged again (expected: once)");
        }
    }

    void spent(SpendEvent spent) {
        if (!spent.ask().isEmpty()) {
            Asking ask = ask(spent.ask());
            ask.spent.merge(spent.count(), spent.permits(), Long::sum);
            ask.passedAlone |= spent.answers();
        }
    }

    void unspent(UnspendEvent unspent) {
        if (!unspent.ask().isEmpty()) {
            ask(unspent.ask()).spent.merge(unspent.count(), -unspent.permits(), Long::sum);
        }
    }

    void answered(AnswerEvent answered) {
        ask(answered.ask()).answers.add(answered);
    }

    /** Finishes the check. Call it after all events. */
    void finish() {
        asks.forEach((id, ask) -> {
            // A process may have been killed while it wrote a request, before it answered the request.
            if (whole || (!ask.answers.isEmpty() && (!holes || ask.isComplete()))) {
                ask.parts.forEach(this::allOrNothing);
            }
            ask.answers.forEach(answered -> check(id, ask, answered));
            if (ask.passedAlone && whole) {
                alone(id, ask);
            }
        });
    }

    private void allOrNothing(String id, Fragment part) {
        int demands = part.fitting + part.refusing;
        boolean all = part.charging && part.refusing == 0;
        int expected = all ? demands - part.free : 0;
        if (part.charged != expected) {
            findings.add(
                    Kind.PARTIAL,
                    part.count,
                    part.number,
                    "ask %s of %d demands, %d of which did not fit, charged %d (expected: %d)"
                            .formatted(id, demands, part.refusing, part.charged, expected));
        }
    }

    /** Checks that the spent permits are all that the request asked for, and that the store charged nothing for the request. */
    private void alone(String id, Asking ask) {
        int passed = ask.charged.size() + ask.spent.size();
        if (passed != 1) {
            findings.add(
                    Kind.ANSWER,
                    ask.spent.keySet().iterator().next(),
                    0,
                    "ask %s passed by a lease with %d demands charged or leased (expected: 1)".formatted(id, passed));
        }
    }

    private void check(String id, Asking ask, AnswerEvent told) {
        String wrong = null;
        int charged = ask.charged.size();
        if (told.source() == AnswerEvent.Source.STAND_IN) {
            wrong = told.degraded() == null ? "answered by a stand-in (expected: degraded to be set)" : null;
        } else if (told.allowed() && told.source() == AnswerEvent.Source.MEMORY) {
            wrong = "allowed from memory (expected: refusals only)";
        } else if (!told.charging() || told.degraded() != null || !whole) {
            return;
        } else if (told.allowed()) {
            int passed = charged + ask.free + (told.source() == AnswerEvent.Source.LEASE ? ask.spent.size() : 0);
            wrong = passed == told.demands()
                    ? null
                    : "allowed with %d demands charged or leased (expected: %d)".formatted(passed, told.demands());
        } else {
            long leased = ask.spent.values().stream().mapToLong(net -> net).sum();
            // If one part is refused, the charges of the other parts are given back, but the refund may get lost.
            boolean taken = leased != 0 || (charged > 0 && ask.isOfOnePart());
            wrong = taken
                    ? "refused with %d demands charged and %d permits spent (expected: 0)".formatted(charged, leased)
                    : null;
        }
        if (wrong != null) {
            String refusing = told.refusing();
            findings.add(Kind.ANSWER, refusing == null ? "" : refusing, 0, "ask " + id + ": " + wrong);
        }
    }

    private Asking ask(String id) {
        return asks.computeIfAbsent(AskTraces.whole(id), unknown -> new Asking());
    }
}
