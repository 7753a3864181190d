package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * No test may fail because a machine is slow or busy. Mostly only a reader can judge that; this finds what a search can find.
 */
class SpeedIndependenceTest {

    /** A bound that only ends tests that hang. */
    private static final int SHORTEST_BOUND_SECONDS = 60;

    private static final Pattern SLEEP = Pattern.compile("Thread\\.sleep\\(|TimeUnit\\.[A-Z]+\\.sleep\\(|parkNanos\\(");
    private static final Pattern TIMEOUT = Pattern.compile("@Timeout\\((?:value = )?(\\d+)\\)");

    @Test
    void testsNeitherSleepNorPark() throws IOException {
        assertThat(places(SLEEP, found -> true)).isEmpty();
    }

    @Test
    void timeoutsOnlyEndTestsThatHang() throws IOException {
        assertThat(places(TIMEOUT, found -> Integer.parseInt(found.group(1)) < SHORTEST_BOUND_SECONDS))
                .isEmpty();
    }

    private interface Judge {
        boolean objectsTo(Matcher found);
    }

    private static List<String> places(Pattern pattern, Judge judge) throws IOException {
        List<String> places = new ArrayList<>();
        for (Path file : tests()) {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                Matcher found = pattern.matcher(lines.get(i));
                if (found.find() && judge.objectsTo(found)) {
                    places.add(file + ":" + (i + 1) + ": " + lines.get(i).strip());
                }
            }
        }
        return places;
    }

    private static List<Path> tests() throws IOException {
        List<Path> tests = SourceTree.files(Path.of("..").toRealPath(), ".java").stream()
                .filter(file -> file.toString().contains("/src/test/") && !file.endsWith("SpeedIndependenceTest.java"))
                .toList();
        assertThat(tests).hasSizeGreaterThan(200);
        return tests;
    }
}
