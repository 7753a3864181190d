package io.sluice.rules.internal.document;

import io.sluice.core.Calendar;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.Absent;
import io.sluice.rules.Action;
import io.sluice.rules.Mode;
import io.sluice.rules.Privacy;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** The words of each closed choice and what they mean, in the order in which errors list them. */
final class Words {

    static final Map<String, Action> ACTIONS = map(Action.values(), Action::word);
    static final Map<String, Mode> MODES = map(Mode.values(), Mode::word);
    static final Map<String, Absent> ABSENT = map(Absent.values(), Absent::word);
    static final Map<String, Privacy> PRIVACY = map(Privacy.values(), Privacy::word);
    static final Map<String, Algorithm> ALGORITHMS = map(Algorithm.values(), Algorithm::word);
    static final Map<String, Calendar> CALENDARS = map(Calendar.values(), Words::small);
    static final Map<String, FailurePolicy> POLICIES =
            map(new FailurePolicy[] {FailurePolicy.LOCAL, FailurePolicy.OPEN, FailurePolicy.CLOSED}, Words::small);

    private Words() {}

    /** A constant as documents spell it, where it has no word of its own. */
    static String small(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static <T> Map<String, T> map(T[] all, Function<T, String> word) {
        Map<String, T> words = new LinkedHashMap<>();
        for (T each : all) {
            words.put(word.apply(each), each);
        }
        return Collections.unmodifiableMap(words);
    }
}
