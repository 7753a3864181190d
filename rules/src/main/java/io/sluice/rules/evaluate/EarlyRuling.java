package io.sluice.rules.evaluate;

import io.sluice.rules.model.Condition;
import io.sluice.rules.model.EarlyAttributes;
import io.sluice.rules.model.Rule;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The ruling on a request before its caller is authenticated, and the limits that will count its answer. Immutable. */
public final class EarlyRuling {

    /** Lets a request pass that no early rule limits. */
    static final EarlyRuling PASSED = new EarlyRuling(null, null);

    private final @Nullable Ruling ruling;
    private final @Nullable MatchedRequest answers;

    /**
     * Creates a ruling.
     *
     * @param ruling the ruling; null if only rules that count answers applied, and they let the request pass
     * @param answers the rules that count answers; null if none apply
     */
    EarlyRuling(@Nullable Ruling ruling, @Nullable MatchedRequest answers) {
        this.ruling = ruling;
        this.answers = answers;
    }

    /** Creates a ruling. The answer is counted only if the request passes. */
    static EarlyRuling of(Ruling ruling, MatchedRequest answers) {
        boolean passes = ruling instanceof Ruling.Settled settled && settled.allowed();
        return new EarlyRuling(ruling, passes ? answers : null);
    }

    /** Returns the ruling of the rules that deny or that count requests. If empty, the request passes. */
    public Optional<Ruling> ruling() {
        return Optional.ofNullable(ruling);
    }

    /** Returns whether the answer may have to be counted. */
    public boolean countsAnswer() {
        return answers != null;
    }

    @Nullable
    MatchedRequest answers() {
        return answers;
    }

    static boolean counts(Rule rule, int status) {
        Condition condition = rule.scope().match().get(EarlyAttributes.ANSWER_STATUS);
        return condition != null && condition.matches(Integer.toString(status));
    }
}
