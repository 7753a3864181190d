package io.sluice.rules.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.SeededRandom;
import java.util.List;
import org.junit.jupiter.api.Test;

class GlobTest {

    @Test
    void matchesWhatTheDefinitionMatches() {
        SeededRandom random = SeededRandom.of("matchesWhatTheDefinitionMatches");
        for (int i = 0; i < 50_000; i++) {
            String pattern = random.text("ab*?", 8);
            String text = random.text("ab", 10);
            Glob.parse(pattern)
                    .ifPresentOrElse(
                            glob -> assertThat(glob.matches(text))
                                    .describedAs("%s and %s", pattern, text)
                                    .isEqualTo(defined(pattern, text)),
                            () -> assertThat(Glob.literal(pattern)).isEqualTo(pattern));
        }
    }

    @Test
    void matchesAlikeHoweverLongThePatternIs() {
        SeededRandom random = SeededRandom.of("matchesAlikeHoweverLongThePatternIs");
        for (int i = 0; i < 300; i++) {
            String middle = "a".repeat(50 + random.nextInt(100));
            Glob glob = Glob.parse("*" + middle + "b?*" + middle + "*").orElseThrow();
            String enough = "a".repeat(random.nextInt(5)) + middle + "bc" + middle;

            assertThat(glob.matches(enough)).isTrue();
            assertThat(glob.matches(enough + "x")).isTrue();
            assertThat(glob.matches(enough.substring(0, enough.length() - 1))).isFalse();
        }
    }

    @Test
    void knowsWhatEveryMatchHas() {
        Glob glob = Glob.parse("ab*cd?e\\**fg").orElseThrow();

        assertThat(glob.prefix()).isEqualTo("ab");
        assertThat(glob.inner()).isEqualTo(List.of("cd", "e*"));
        assertThat(glob.suffix()).isEqualTo("fg");
    }

    private static boolean defined(String pattern, String text) {
        if (pattern.isEmpty()) {
            return text.isEmpty();
        }
        if (pattern.charAt(0) == '*') {
            return defined(pattern.substring(1), text) || (!text.isEmpty() && defined(pattern, text.substring(1)));
        }
        boolean one = !text.isEmpty() && (pattern.charAt(0) == '?' || pattern.charAt(0) == text.charAt(0));
        return one && defined(pattern.substring(1), text.substring(1));
    }
}
