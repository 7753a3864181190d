package io.sluice.spring.web;

import io.sluice.core.spi.Label;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Rule;
import io.sluice.spring.internal.RuleNames;
import org.jspecify.annotations.Nullable;

/** Converts rulings for callers, with the shown names of rules and limits. Thread-safe. */
final class ShownRulings {

    private final RuleNames names;

    ShownRulings(RuleNames names) {
        this.names = names;
    }

    Ruling.Settled of(Ruling.Settled ruling) {
        return ruling.matched().stream().allMatch(id -> names.shown(id).equals(id))
                ? ruling
                : new Ruling.Settled(
                        ruling.allowed(),
                        ruling.action(),
                        of(ruling.rule()),
                        of(ruling.reported()),
                        of(ruling.slowest()),
                        ruling.retryAfter(),
                        ruling.waitFor(),
                        ruling.mode(),
                        ruling.degraded(),
                        ruling.ruleVersion(),
                        ruling.matched().stream().map(names::shown).toList(),
                        ruling.shadowRefused().stream().map(this::of).toList(),
                        ruling.permits(),
                        ruling.decisions(),
                        ruling.permit(),
                        ruling.place(),
                        ruling.costs().stream().map(this::told).toList(),
                        ruling.keptForOthers(),
                        ruling.reservation());
    }

    private @Nullable Rule of(@Nullable Rule rule) {
        return rule == null || names.shown(rule.id()).equals(rule.id())
                ? rule
                : new Rule(
                        names.shown(rule.id()),
                        rule.enabled(),
                        rule.action(),
                        rule.scope(),
                        rule.shadow(),
                        rule.limits(),
                        rule.candidate(),
                        rule.overrides(),
                        rule.handling(),
                        rule.use(),
                        rule.about(),
                        rule.protocol());
    }

    private Ruling.@Nullable Reported of(Ruling.@Nullable Reported limit) {
        return limit == null ? null : told(limit);
    }

    private Ruling.Reported told(Ruling.Reported limit) {
        return new Ruling.Reported(
                names.shown(limit.rule()),
                of(limit.rule(), limit.id()),
                limit.level(),
                limit.limit(),
                limit.by(),
                limit.remaining(),
                limit.resetAfter());
    }

    private Label of(Label label) {
        return new Label(names.shown(label.rule()), of(label.rule(), label.limit()), label.mode());
    }

    /** Returns the name of a limit, whose id begins with the id of its rule. */
    private String of(String rule, String limit) {
        return limit.startsWith(rule) ? names.shown(rule) + limit.substring(rule.length()) : limit;
    }
}
