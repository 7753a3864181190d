package io.sluice.runtime.caller;

import io.sluice.rules.caller.CallerMark;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Explanation;
import io.sluice.rules.evaluate.Explanation.Standing;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Answers the questions of a center about callers that this process refused, and about requests. Never blocks. Thread-safe.
 *
 * <p>Each question is answered once. The answer is reported for as long as the center offers the question, and then forgotten. No answer
 * is logged.
 */
public final class CallerQuestions {

    /** The maximum number of questions at a time. If a center asks more, it gets the other answers later. */
    static final int MOST = 50;

    /** The maximum number of characters of an explanation that is reported. */
    private static final int LONGEST = 90_000;

    private volatile @Nullable Scope scope;

    /** The questions that the center offers; guarded by this. */
    private final Map<CallerQuestion, State> offered = new LinkedHashMap<>();

    /** The parts of this process from which answers are made. */
    private record Scope(
            Optional<RefusedCallers> refused,
            CallerMarks marks,
            Supplier<RuleSet> rules,
            Function<Attributes, CompletionStage<Explanation>> explain,
            Function<Explanation, Optional<String>> json) {}

    private sealed interface State {

        /** The answer is not ready yet. */
        record Pending() implements State {}

        /** The answer is ready. */
        record Answered(CallerAnswer answer) implements State {}
    }

    /**
     * Starts to answer. Earlier questions stay unanswered until then.
     *
     * @param refused the callers that this process refused; empty if it remembers none. Requests are explained even then
     * @param settings the settings by which callers are hashed
     * @param rules the rules in force
     * @param explain returns the explanation of a request by the rules
     * @param json writes an explanation as {@code POST /v1/explain} does
     */
    public void over(
            Optional<RefusedCallers> refused,
            KeySettings settings,
            Supplier<RuleSet> rules,
            Function<Attributes, CompletionStage<Explanation>> explain,
            Function<Explanation, Optional<String>> json) {
        scope = new Scope(refused, new CallerMarks(settings), rules, explain, json);
    }

    /** Returns whether this process answers questions. */
    public boolean isReady() {
        return scope != null;
    }

    /** Takes the questions that the center offers now, and forgets the answers to all others. Does not wait for answers. */
    public void offered(List<CallerQuestion> questions) {
        Scope in = scope;
        List<CallerQuestion> fresh = new ArrayList<>();
        synchronized (this) {
            offered.keySet().retainAll(new HashSet<>(questions));
            for (CallerQuestion each : questions) {
                if (in != null && offered.size() < MOST && offered.putIfAbsent(each, new State.Pending()) == null) {
                    fresh.add(each);
                }
            }
        }
        if (in != null) {
            fresh.forEach(each -> answer(each, in));
        }
    }

    /** Returns the answers to the questions that the center still offers. */
    public synchronized List<CallerAnswer> answers() {
        List<CallerAnswer> answers = new ArrayList<>();
        for (State state : offered.values()) {
            if (state instanceof State.Answered answered) {
                answers.add(answered.answer);
            }
        }
        return answers;
    }

    private void answer(CallerQuestion question, Scope in) {
        if (question.kind() == CallerQuestion.Kind.REQUEST) {
            request(question, in);
            return;
        }
        Optional<KnownCallers.Known> known = in.refused.flatMap(callers -> callers.find(question.hash()));
        if (known.isEmpty()) {
            settle(question, Optional.empty());
            return;
        }
        switch (question.kind()) {
            case REVEAL -> settle(question, Optional.of(revealed(known.get(), in)));
            case EXPLAIN -> explain(question, known.get().request(), in);
            case REQUEST -> throw new IllegalStateException("a request is not a caller");
        }
    }

    private void request(CallerQuestion question, Scope in) {
        Attributes request;
        try {
            request = Attributes.of(question.request());
        } catch (IllegalArgumentException e) {
            settle(question, Optional.empty());
            return;
        }
        explain(question, request, in);
    }

    /** If the explanation fails, the next offer of the question starts another attempt. */
    @SuppressWarnings("FutureReturnValueIgnored") // the answer is reported later
    private void explain(CallerQuestion question, Attributes request, Scope in) {
        try {
            in.explain.apply(request).whenComplete((explanation, failure) -> {
                try {
                    if (explanation == null) {
                        forget(question);
                    } else {
                        settle(
                                question,
                                in.json
                                        .apply(masked(explanation, request, in))
                                        .filter(text -> text.length() <= LONGEST));
                    }
                } catch (RuntimeException e) {
                    forget(question);
                }
            });
        } catch (RuntimeException e) {
            forget(question);
        }
    }

    private synchronized void settle(CallerQuestion question, Optional<String> content) {
        offered.computeIfPresent(
                question, (same, state) -> new State.Answered(new CallerAnswer(question.id(), content)));
    }

    private synchronized void forget(CallerQuestion question) {
        offered.remove(question);
    }

    /** Values that a limit counts under {@code privacy: hash} stay hidden. */
    private static String revealed(KnownCallers.Known known, Scope in) {
        Set<String> hides = in.marks.hidden(in.rules.get());
        Map<String, String> shown = new TreeMap<>();
        Set<String> hidden = new TreeSet<>();
        for (String name : known.names()) {
            String value = known.request().get(name);
            if (value != null && hides.contains(name)) {
                hidden.add(name);
            } else if (value != null) {
                shown.put(name, value);
            }
        }
        // Names of attributes come from rules and requests. The keys of a map are escaped, names of fields are not.
        return new JsonLine()
                .begin()
                .field("attributes", (Object) shown)
                .field("hidden", List.copyOf(hidden))
                .end()
                .toString();
    }

    /** Adds the hash of the caller to each limit, and hides the first characters of values that a limit counts under a hash. */
    private static Explanation masked(Explanation explanation, Attributes request, Scope in) {
        RuleSet set = in.rules.get();
        Map<String, Rule> rules = rules(set);
        List<Standing> limits = new ArrayList<>();
        for (Standing each : explanation.limits()) {
            if (each.by().isEmpty()) {
                limits.add(each);
                continue;
            }
            Optional<CallerMark> mark = Optional.ofNullable(rules.get(each.rule()))
                    .filter(rule -> hasLimit(rule, each))
                    .flatMap(rule -> in.marks.caller(set, rule, each.id(), request));
            boolean open = mark.isPresent() && !mark.get().masked().isEmpty();
            String key = open
                    ? each.key()
                    : each.by().stream().map(name -> name + "=***").collect(Collectors.joining("&"));
            limits.add(new Standing(
                    each.rule(),
                    each.id(),
                    each.level(),
                    each.limit(),
                    each.by(),
                    key,
                    mark.map(CallerMark::hash),
                    each.used(),
                    each.remaining(),
                    each.retryAfter(),
                    each.resetAfter(),
                    each.wouldAllow(),
                    each.shadow(),
                    each.overridden()));
        }
        return new Explanation(explanation.ruling(), limits);
    }

    private static Map<String, Rule> rules(RuleSet set) {
        Map<String, Rule> byId = new HashMap<>();
        CallerTrial trial = set.trial();
        if (trial != null) {
            trial.rules().rules().forEach(rule -> byId.put(rule.id(), rule));
        }
        set.rules().forEach(rule -> byId.put(rule.id(), rule));
        return byId;
    }

    private static boolean hasLimit(Rule rule, Standing standing) {
        for (RuleLimit limit : rule.limits()) {
            if (limit.id().equals(standing.id())
                    && limit.by().stream().map(By::attribute).toList().equals(standing.by())) {
                return true;
            }
        }
        return false;
    }
}
