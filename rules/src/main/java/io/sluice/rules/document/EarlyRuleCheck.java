package io.sluice.rules.document;

import io.sluice.core.limit.Algorithm;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.EarlyAttributes;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reports settings that a rule for {@code early} may not use, each at its own place. Values of a wrong type are skipped, because the other
 * readers report them.
 */
final class EarlyRuleCheck {

    private static final String KNOWN = String.join(", ", EarlyAttributes.OF_REQUEST);
    private static final Pattern ZERO = Pattern.compile("0[a-z]*");
    private static final Set<String> WAITING = Arrays.stream(Algorithm.values())
            .filter(algorithm -> algorithm.holds() || algorithm.queues())
            .map(Algorithm::word)
            .collect(Collectors.toSet());

    private final Fields rule;
    private final Errors errors;

    EarlyRuleCheck(Fields rule, Errors errors) {
        this.rule = rule;
        this.errors = errors;
    }

    void check(Action action) {
        if (rule.has("service")) {
            rule.refuseKey("service", unknown("service", "not known", KNOWN));
        }
        boolean ofAnswers = match(action);
        for (String key : List.of("limits", "candidate")) {
            each(key, limit -> {
                field(limit, "by").ifPresent(this::by);
                field(limit, "cost")
                        .ifPresent(cost -> errors.add(
                                cost.place(),
                                "cost: in a rule for early (expected: none; early rules count requests)"));
                refuseWaiting(limit, ofAnswers);
            });
        }
        each("dimensions", dimension -> {
            field(dimension, "field").ifPresent(name -> attribute("field", name));
            field(dimension, "type").ifPresent(name -> attribute("type", name));
            refuseWaiting(dimension, ofAnswers);
        });
        each("overrides", override -> {
            field(override, "when")
                    .filter(YamlMap.class::isInstance)
                    .ifPresent(when -> ((YamlMap) when).entries().forEach(entry -> attribute("when", entry.key())));
            field(override, "keep").filter(keep -> ofAnswers).ifPresent(this::refuseKeep);
            refuseWaiting(override, ofAnswers);
        });
        if (ofAnswers) {
            rule.value("algorithm").ifPresent(this::refuseAlgorithm);
            rule.value("max_wait").ifPresent(this::refuseWait);
        }
    }

    /** Returns whether the rule matches the status of the answer. */
    private boolean match(Action action) {
        boolean ofAnswers = false;
        for (YamlValue.Entry entry : entries(rule.value("match").orElse(null))) {
            if (isStatus(entry.key())) {
                ofAnswers = true;
                if (action != Action.LIMIT) {
                    errors.add(
                            entry.key().place(),
                            "match.answer.status: not allowed with action " + action.word()
                                    + " (expected: action limit, because there is no answer yet)");
                }
            } else {
                attribute("match", entry.key());
            }
        }
        return ofAnswers;
    }

    private void by(YamlValue by) {
        for (YamlValue item : by instanceof YamlList list ? list.items() : List.of(by)) {
            if (item instanceof YamlMap map) {
                field(map, "attribute").ifPresent(name -> attribute("by", name));
                field(map, "otherwise").ifPresent(name -> attribute("otherwise", name));
            } else {
                attribute("by", item);
            }
        }
    }

    private void attribute(String key, YamlValue name) {
        if (isStatus(name)) {
            errors.add(
                    name.place(),
                    key + ": answer.status (expected: " + KNOWN + "; the status can only be matched, under match)");
        } else if (name instanceof YamlScalar word
                && !EarlyAttributes.isKnown(Attributes.normalisedName(word.text()))) {
            String expected = key.equals("match") ? KNOWN + " or " + EarlyAttributes.ANSWER_STATUS : KNOWN;
            errors.add(name.place(), unknown(key, name.shown() + " is not known", expected));
        }
    }

    private void refuseWaiting(YamlMap limit, boolean ofAnswers) {
        if (ofAnswers) {
            field(limit, "algorithm").ifPresent(this::refuseAlgorithm);
            field(limit, "max_wait").ifPresent(this::refuseWait);
        }
    }

    private void refuseKeep(YamlValue keep) {
        errors.add(
                keep.place(),
                "keep: not allowed beside match.answer.status (expected: none; answers are counted in any case)");
    }

    private void refuseAlgorithm(YamlValue algorithm) {
        if (algorithm instanceof YamlScalar word && WAITING.contains(word.text())) {
            errors.add(algorithm.place(), waits("algorithm: " + word.text()));
        }
    }

    private void refuseWait(YamlValue wait) {
        if (wait instanceof YamlScalar word && !ZERO.matcher(word.text()).matches()) {
            errors.add(wait.place(), waits("max_wait: " + word.shown()));
        }
    }

    private static String waits(String what) {
        return what + ": not allowed beside match.answer.status"
                + " (expected: a limit that holds no permits and never waits, such as sliding_window)";
    }

    private static String unknown(String key, String what, String expected) {
        return key + ": " + what + " before authentication, in a rule for early (expected: " + expected + ")";
    }

    private static boolean isStatus(YamlValue name) {
        return name instanceof YamlScalar word && word.text().equals(EarlyAttributes.ANSWER_STATUS);
    }

    private void each(String key, Consumer<YamlMap> then) {
        if (rule.value(key).orElse(null) instanceof YamlList list) {
            for (YamlValue item : list.items()) {
                if (item instanceof YamlMap map) {
                    then.accept(map);
                }
            }
        }
    }

    private static List<YamlValue.Entry> entries(@Nullable YamlValue value) {
        return value instanceof YamlMap map ? map.entries() : List.of();
    }

    private static Optional<YamlValue> field(YamlMap map, String key) {
        return map.entries().stream()
                .filter(entry ->
                        entry.key() instanceof YamlScalar word && word.text().equals(key))
                .map(YamlValue.Entry::value)
                .findFirst();
    }
}
