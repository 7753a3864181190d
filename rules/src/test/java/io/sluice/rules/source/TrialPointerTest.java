package io.sluice.rules.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.TrialScope;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrialPointerTest {

    private static final String KEY = "0123456789abcdef";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "13 share 10",
                "999999999999999 share 99",
                "13 callers 5 by user key 0123456789abcdef",
                "13 callers 5 by user key 0123456789abcdef watch",
                "13 callers 99 by header.x-tenant key ffffffffffffffff",
                "13 named acme by tenant key 0123456789abcdef",
                "13 named acme,globex by tenant key 0123456789abcdef",
                "13 named +,%2C,%C3%BC by json.a%2Fb key 0123456789abcdef"
            })
    void writesWhatItReads(String text) {
        assertThat(TrialPointer.parse(text))
                .hasValueSatisfying(read -> assertThat(read).hasToString(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "13",
                "0 share 10",
                "01 share 10",
                "-1 share 10",
                "1000000000000000 share 10",
                "13 share 0",
                "13 share 100",
                "13 share 010",
                "13 share 10 ",
                "13  share 10",
                "13 share 10\n",
                "13 callers 0 by user key 0123456789abcdef",
                "13 callers 100 by user key 0123456789abcdef",
                "13 callers 5 by  key 0123456789abcdef",
                "13 callers 5 by user key 0123456789ABCDEF",
                "13 callers 5 by user key 0123456789abcde",
                "13 callers 5 by user key 0123456789abcdef0",
                "13 callers 5 by user key 0123456789abcdef watched",
                "13 share 10 watch",
                "13 callers 5 by user",
                "13 callers 5 by us er key 0123456789abcdef",
                "13 callers 5 by user% key 0123456789abcdef",
                "13 callers 5 by user%2 key 0123456789abcdef",
                "13 callers 5 by user%zz key 0123456789abcdef",
                "13 callers 5 by %ff%fe key 0123456789abcdef",
                "13 named  by tenant key 0123456789abcdef",
                "13 named , by tenant key 0123456789abcdef",
                "13 named a,,b by tenant key 0123456789abcdef",
                "13 named %C3 by tenant key 0123456789abcdef",
                "13 named a%2G by tenant key 0123456789abcdef",
                "13 named \u00fc by tenant key 0123456789abcdef"
            })
    void refusesEverythingElse(String text) {
        assertThat(TrialPointer.parse(text)).isEmpty();
    }

    @Test
    void refusesTooMuch() {
        String names = IntStream.range(0, 101).mapToObj(i -> "n" + i).collect(Collectors.joining(","));
        assertThat(TrialPointer.parse("13 named " + names + " by tenant key " + KEY))
                .isEmpty();
        assertThat(TrialPointer.parse("13 named " + "x".repeat(9_000) + " by tenant key " + KEY))
                .isEmpty();
        // Takes no long time either.
        assertThat(TrialPointer.parse("13 named " + "a,".repeat(4_000) + "!")).isEmpty();
    }

    @Test
    void knowsWhatIsWider() {
        TrialScope few = new TrialScope.Callers(CallerSplit.share("user", KEY, 5));
        TrialScope watched =
                new TrialScope.Callers(CallerSplit.share("user", KEY, 5).watching());
        TrialScope many = new TrialScope.Callers(CallerSplit.share("user", KEY, 50));
        TrialScope others = new TrialScope.Callers(CallerSplit.share("ip", KEY, 50));
        TrialScope named = new TrialScope.Callers(CallerSplit.named("user", KEY, Set.of("a")));

        assertThat(TrialPointer.covers(many, few)).isTrue();
        assertThat(TrialPointer.covers(few, few)).isTrue();
        assertThat(TrialPointer.covers(few, many)).isFalse();
        assertThat(TrialPointer.covers(few, watched)).isTrue();
        assertThat(TrialPointer.covers(watched, few)).isFalse();
        assertThat(TrialPointer.covers(others, few)).isFalse();
        assertThat(TrialPointer.covers(named, few)).isFalse();
        assertThat(TrialPointer.covers(many, named)).isFalse();
        assertThat(TrialPointer.covers(new TrialScope.Nodes(50), few)).isFalse();
        assertThat(TrialPointer.covers(new TrialScope.Nodes(50), new TrialScope.Nodes(10)))
                .isTrue();
    }

    @Test
    void doesNotShowNamesToPeople() {
        assertThat(new TrialPointer(13, new TrialScope.Callers(CallerSplit.named("user", KEY, Set.of("anna", "bob"))))
                        .who())
                .isEqualTo("2 named by user");
        assertThat(new TrialPointer(13, new TrialScope.Callers(CallerSplit.share("user", KEY, 5))).who())
                .isEqualTo("5 % by user");
    }
}
