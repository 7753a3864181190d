package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No test may fail because a machine is slow or busy. Mostly only a reader can judge that; this finds what a search can find.
 *
 * <p>A place that is right all the same says why, on its line or in the line above, after {@value #EXCUSE}.
 */
class SpeedIndependenceTest {

    /** A bound that only ends tests that hang. */
    private static final Duration SHORTEST_BOUND = Duration.ofSeconds(60);

    private static final String EXCUSE = "// Not a bound:";

    private static final Pattern SLEEP = Pattern.compile("Thread\\.sleep\\(|TimeUnit\\.[A-Z]+\\.sleep\\(|parkNanos\\(");

    /** Waits for real time to pass, or ends a test that is slow. */
    private static final Pattern REAL_TIME = Pattern.compile("\\.during\\(|assertTimeout(?:Preemptively)?\\(");

    private static final Pattern TIMEOUT =
            Pattern.compile("@Timeout\\((?:value = )?([\\d_]+)(?:, unit = (?:TimeUnit\\.)?([A-Z]+))?");

    /** A wait with a number and a unit, such as {@code get(5, TimeUnit.SECONDS)}. */
    private static final Pattern NUMBER_AND_UNIT = Pattern.compile(
            "\\b(?:get|await|poll|join|offer|tryAcquire|tryLock|awaitTermination|waitFor|orTimeout|atMost)"
                    + "\\(\\s*(?:[^(),]*,\\s*)?([\\d_]+|[A-Z][A-Z_]+)L?,\\s*(?:TimeUnit\\.)?([A-Z]+)\\)");

    /** A wait with a duration, such as {@code atMost(Duration.ofSeconds(5))} or {@code Await.until("…", SOON, …)}. */
    private static final Pattern DURATION = Pattern.compile(
            "\\b(?:atMost|Await\\.until|Await\\.within|timeout|connectTimeout|readTimeout|responseTimeout|block|join"
                    + "|setDefaultTimeout|setReadTimeout|setConnectTimeout|requireRead|flushed)"
                    + "\\(\\s*(?:\"[^\"]*\",\\s*)?(?:Duration\\.of([A-Z][a-z]+)\\(([\\d_]+)\\)|([A-Z][A-Z_]+)\\b)");

    /** A wait with milliseconds, such as {@code setSoTimeout(5_000)}. */
    private static final Pattern MILLISECONDS = Pattern.compile(
            "(?:\\.setSoTimeout|[tT]hread\\.join|\\.setReadTimeout|\\.setConnectTimeout)\\(([\\d_]+)\\)");

    private static final Pattern CONSTANT =
            Pattern.compile("\\b([A-Z][A-Z_]+) = (?:Duration\\.of([A-Z][a-z]+)\\()?([\\d_]+)L?\\)?;");

    /** An await of Awaitility without a bound. Its own is 10 seconds. */
    private static final Pattern USUAL_AWAIT =
            Pattern.compile("\\bawait\\((?:\"[^\"]*\")?\\)((?:(?!atMost|until|;)[\\s\\S])*)until");

    /** A clock that moves even if a thread of the program is between two readings of it. */
    private static final Pattern HASTY_CLOCK = Pattern.compile("\\bManualClock(?:\\.at\\(|::at|\\(\\))");

    @Test
    void testsNeitherSleepNorPark() throws IOException {
        assertThat(places(tests(), SLEEP, (found, file) -> true)).isEmpty();
    }

    @Test
    void noTestWaitsForRealTimeOrEndsBecauseItIsSlow() throws IOException {
        assertThat(places(tests(), REAL_TIME, (found, file) -> true)).isEmpty();
    }

    @Test
    void timeoutsOnlyEndTestsThatHang() throws IOException {
        assertThat(places(
                        tests(),
                        TIMEOUT,
                        (found, file) -> isShort(
                                number(found.group(1)), unit(found.group(2) == null ? "SECONDS" : found.group(2)))))
                .isEmpty();
    }

    @Test
    void boundsOfWaitsOnlyEndTestsThatHang() throws IOException {
        List<String> places =
                new ArrayList<>(places(testsAndTestkit(), NUMBER_AND_UNIT, SpeedIndependenceTest::isShortNumber));
        places.addAll(places(testsAndTestkit(), DURATION, SpeedIndependenceTest::isShortDuration));
        places.addAll(places(
                testsAndTestkit(),
                MILLISECONDS,
                (found, file) -> isShort(number(found.group(1)), Optional.of(ChronoUnit.MILLIS))));
        assertThat(places).isEmpty();
    }

    /** The tests of the node set another default ({@code PatientAwait}). */
    @Test
    void awaitsHaveABound() throws IOException {
        assertThat(places(
                        tests(),
                        USUAL_AWAIT,
                        (found, file) -> file.contains("org.awaitility") && !file.contains("package io.sluice.node")))
                .isEmpty();
    }

    /**
     * The program's threads may read a clock that a test moves, so tests use {@code QuietClock}. In {@code core} no thread of the program
     * reads a clock that it was given, and the kit depends on it. The examples are what a user writes.
     */
    @Test
    void aManualClockMovesOnlyWhileItsReadersAreIdle() throws IOException {
        List<Path> files = testsAndTestkit().stream()
                .filter(file -> !file.toString().contains("/core/src/")
                        && !file.toString().contains("/examples/"))
                .toList();
        assertThat(places(files, HASTY_CLOCK, (found, file) -> true)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "future.get(59, TimeUnit.SECONDS);",
                "latch.await(1, MINUTES); latch.await(5_000, MILLISECONDS);",
                "orTimeout(30,\n    TimeUnit.SECONDS)",
                "private static final int MOST = 5; queue.poll(MOST, TimeUnit.SECONDS);",
                "await().atMost(Duration.ofSeconds(10)).until(x);",
                "Duration SOON = Duration.ofMillis(2_000); Await.until(\"it is there\", SOON, () -> true);",
                "HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(5))",
                "socket.setSoTimeout(10_000)"
            })
    void findsAShortBound(String code) {
        assertThat(in("T.java", code, NUMBER_AND_UNIT, SpeedIndependenceTest::isShortNumber)
                                .size()
                        + in("T.java", code, DURATION, SpeedIndependenceTest::isShortDuration)
                                .size()
                        + in("T.java", code, MILLISECONDS, (found, file) -> true)
                                .size())
                .isEqualTo(1);
    }

    @Test
    void anExcuseIsInTheCode() {
        String line = "future.get(1, TimeUnit.SECONDS);";
        assertThat(in("T.java", "// Not a bound: it is repeated.\n" + line, NUMBER_AND_UNIT, (found, file) -> true))
                .isEmpty();
        assertThat(in("T.java", line + " // Not a bound: it is repeated.", NUMBER_AND_UNIT, (found, file) -> true))
                .isEmpty();
        assertThat(in("T.java", "// Not a bound: it is repeated.\n\n" + line, NUMBER_AND_UNIT, (found, file) -> true))
                .hasSize(1);
    }

    private interface Judge {
        boolean objectsTo(Matcher found, String file);
    }

    private static boolean isShortNumber(Matcher found, String file) {
        Optional<ChronoUnit> unit = unit(found.group(2));
        String number = found.group(1);
        return unit.isPresent()
                && (Character.isDigit(number.charAt(0))
                        ? isShort(number(number), unit)
                        : constant(number, file, unit.get()));
    }

    private static boolean isShortDuration(Matcher found, String file) {
        return found.group(1) != null
                ? isShort(number(found.group(2)), unit(found.group(1)))
                : constant(found.group(3), file, ChronoUnit.FOREVER);
    }

    /** Returns whether a constant of the file is short. One that is not found is not. */
    private static boolean constant(String name, String file, ChronoUnit unitOfNumbers) {
        Matcher constant = CONSTANT.matcher(file);
        while (constant.find()) {
            if (constant.group(1).equals(name)) {
                boolean isDuration = constant.group(2) != null;
                return isDuration == (unitOfNumbers == ChronoUnit.FOREVER)
                        && isShort(
                                number(constant.group(3)),
                                isDuration ? unit(constant.group(2)) : Optional.of(unitOfNumbers));
            }
        }
        return false;
    }

    private static boolean isShort(long number, Optional<ChronoUnit> unit) {
        return unit.isPresent() && unit.get().getDuration().multipliedBy(number).compareTo(SHORTEST_BOUND) < 0;
    }

    private static long number(String text) {
        return Long.parseLong(text.replace("_", ""));
    }

    /** Returns a unit by its name in {@code TimeUnit}, such as SECONDS, or in a method of {@code Duration}, such as ofSeconds. */
    private static Optional<ChronoUnit> unit(String name) {
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "NANOS", "NANOSECONDS" -> Optional.of(ChronoUnit.NANOS);
            case "MICROSECONDS" -> Optional.of(ChronoUnit.MICROS);
            case "MILLIS", "MILLISECONDS" -> Optional.of(ChronoUnit.MILLIS);
            case "SECONDS" -> Optional.of(ChronoUnit.SECONDS);
            case "MINUTES" -> Optional.of(ChronoUnit.MINUTES);
            case "HOURS" -> Optional.of(ChronoUnit.HOURS);
            case "DAYS" -> Optional.of(ChronoUnit.DAYS);
            default -> Optional.empty();
        };
    }

    private static List<String> places(List<Path> files, Pattern pattern, Judge judge) throws IOException {
        List<String> places = new ArrayList<>();
        for (Path file : files) {
            places.addAll(in(file.toString(), Files.readString(file), pattern, judge));
        }
        return places;
    }

    private static List<String> in(String name, String text, Pattern pattern, Judge judge) {
        List<String> lines = text.lines().toList();
        List<String> places = new ArrayList<>();
        Matcher found = pattern.matcher(text);
        while (found.find()) {
            int line = (int) text.substring(0, found.start())
                    .chars()
                    .filter(each -> each == '\n')
                    .count();
            boolean isExcused = lines.get(line).contains(EXCUSE)
                    || (line > 0 && lines.get(line - 1).contains(EXCUSE));
            if (!isExcused && judge.objectsTo(found, text)) {
                places.add(name + ":" + (line + 1) + ": " + lines.get(line).strip());
            }
        }
        return places;
    }

    private static List<Path> testsAndTestkit() throws IOException {
        List<Path> files = new ArrayList<>(tests());
        files.addAll(SourceTree.files(Path.of("../testkit/src/main").toRealPath(), ".java"));
        return files;
    }

    private static List<Path> tests() throws IOException {
        Path root = Path.of("..").toRealPath();
        List<Path> tests = new ArrayList<>(SourceTree.files(root, ".java"));
        tests.addAll(SourceTree.files(root, ".kt"));
        tests.removeIf(file -> !file.toString().contains("/src/test/") || file.endsWith("SpeedIndependenceTest.java"));
        assertThat(tests).hasSizeGreaterThan(200);
        return tests;
    }
}
