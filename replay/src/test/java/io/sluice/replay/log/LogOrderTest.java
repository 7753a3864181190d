package io.sluice.replay.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LogOrderTest {

    private static final double START = 1_794_955_200;

    @TempDir
    Path folder;

    @Test
    void linesThatAreUpToAMinuteBehindAreOrdered() {
        Random random = new Random(3);
        List<Double> times = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            times.add(START + i / 20.0);
        }
        // Each moves by less than a minute against the others.
        List<Double> shuffled = new ArrayList<>(times);
        shuffled.sort(Comparator.comparingDouble(time -> time + 59 * Math.abs(Math.sin(time * 12.9898))));
        assertThat(shuffled).isNotEqualTo(times);
        ReadLog log = read(lines(shuffled, random));
        assertThat(log.problems().late()).isZero();
        assertThat(log.requests()).hasSize(times.size());
        assertThat(log.requests()).extracting(LoggedRequest::atMicros).isSorted();
    }

    @Test
    void linesThatAreFurtherBehindAreCountedAndLeftOut() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            text.append(line(START + i));
        }
        text.append(line(START + 100)).append(line(START + 280)).append(line(START + 301));
        ReadLog log = read(text.toString());
        assertThat(log.requests()).hasSize(302);
        assertThat(log.problems().late()).isEqualTo(1);
        assertThat(log.problems().firstLate()).singleElement().asString().startsWith("log0:302:1: more than a minute");
    }

    @Test
    void oneWrongTimeFarAheadDoesNotMakeTheRestLate() {
        StringBuilder text = new StringBuilder(line(START + 400_000_000));
        for (int i = 0; i < 300; i++) {
            text.append(line(START + i));
            text.append(i == 150 ? line(START + 90_000_000) : "");
        }
        ReadLog log = read(text.toString());
        assertThat(log.requests()).hasSize(300);
        assertThat(log.problems().late()).isZero();
        assertThat(log.problems().firstUnreadable()).hasSize(2).allSatisfy(each -> assertThat(each)
                .contains("far ahead"));
    }

    @Test
    void aGapOfDaysIsAllowed() {
        ReadLog log = read(
                line(START) + line(START + 1) + line(START + 500_000) + line(START + 500_001) + line(START + 900_000));
        assertThat(log.requests()).hasSize(5);
        assertThat(log.problems().unreadable()).isZero();
    }

    @Test
    void filesAreMergedByTimeWhateverTheirOrder() throws IOException {
        List<LogInput> inputs = new ArrayList<>();
        List<String> files = new ArrayList<>();
        for (int host = 0; host < 3; host++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 2_000; i++) {
                text.append(line(START + i + host * 0.1));
            }
            files.add(text.toString());
        }
        StringBuilder dayBefore = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            dayBefore.append(line(START - 86_400 + i));
        }
        files.add(dayBefore.toString());
        Collections.reverse(files);
        Collections.swap(files, 0, 2);
        for (String text : files) {
            Path file = Files.writeString(folder.resolve("access-" + inputs.size() + ".log"), "time,path\n" + text);
            inputs.add(LogInput.of(file));
        }
        ReadLog log = ReadLog.of(LogOptions.wanting(Set.of()), inputs);
        assertThat(log.requests()).hasSize(6_500);
        assertThat(log.problems().late()).isZero();
        assertThat(log.requests()).extracting(LoggedRequest::atMicros).isSorted();
        assertThat(log.requests().get(0).file()).endsWith("access-2.log");
    }

    @Test
    void whatWaitsIsBounded() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 50_000; i++) {
            text.append(line(START + i / 1_000.0));
        }
        text.append(line(START + 49.5)).append(line(START + 1));
        LogOptions small = new LogOptions(Optional.of(LogFormat.of("csv")), Map.of(), Map.of(), Set.of(), 200_000);
        ReadLog log = ReadLog.of(small, ("time,path\n" + text).getBytes(StandardCharsets.UTF_8));
        assertThat(log.requests()).extracting(LoggedRequest::atMicros).isSorted();
        // The second before the last still waits, but the first one had to leave.
        assertThat(log.requests()).hasSize(50_001);
        assertThat(log.problems().late()).isEqualTo(1);
    }

    private static String lines(List<Double> times, Random random) {
        StringBuilder text = new StringBuilder();
        times.forEach(time -> text.append(line(time)).append(random.nextInt(10) == 0 ? "\n" : ""));
        return text.toString();
    }

    private static String line(double seconds) {
        return String.format(Locale.ROOT, "%.6f,/a\n", seconds);
    }

    private static ReadLog read(String lines) {
        return ReadLog.of("csv", Map.of(), Set.of(), "time,path\n" + lines);
    }
}
