package io.sluice.rules.document;

import io.sluice.core.limit.Algorithm;
import io.sluice.core.limit.Calendar;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.model.UnreadPolicy;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** The words of each closed choice and their meanings, in the order in which errors list them. */
final class DocumentWords {

    static final Map<String, RuleUse> USES = map(RuleUse.values(), RuleUse::word);
    static final Map<String, Action> ACTIONS = map(Action.values(), Action::word);
    static final Map<String, Mode> MODES = map(Mode.values(), Mode::word);
    static final Map<String, AbsentPolicy> ABSENT = map(AbsentPolicy.values(), AbsentPolicy::word);
    static final Map<String, UnreadPolicy> UNREAD = map(UnreadPolicy.values(), UnreadPolicy::word);
    static final Map<String, Privacy> PRIVACY = map(Privacy.values(), Privacy::word);
    static final Map<String, Algorithm> ALGORITHMS = map(Algorithm.values(), Algorithm::word);
    static final Map<String, Calendar> CALENDARS = map(Calendar.values(), Calendar::word);
    static final Map<String, FailurePolicy> POLICIES = map(
            new FailurePolicy[] {FailurePolicy.LOCAL, FailurePolicy.OPEN, FailurePolicy.CLOSED}, FailurePolicy::word);

    private DocumentWords() {}

    private static <T> Map<String, T> map(T[] all, Function<T, String> word) {
        Map<String, T> words = new LinkedHashMap<>();
        for (T each : all) {
            words.put(word.apply(each), each);
        }
        return Collections.unmodifiableMap(words);
    }
}
