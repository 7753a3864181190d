package io.sluice.replay.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bad line is counted and shown, and the lines around it are read. */
final class HostileLinesTest {

    private static final String GOOD = "203.0.113.7 - - [17/Nov/2026:22:41:33 +0000] \"GET /good HTTP/1.1\" 200 1";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "203.0.113.7",
                "NUL NUL",
                "203.0.113.7 - - [17/Nov/2026:22:41:33 +0000] \"\\x16\\x03\\x01\" 400 157",
                "203.0.113.7 - - [17/Nov/2026:22:41:33 +0000] \"-\" 408 0",
                "203.0.113.7 - - [17/Nov/2026:22:41:33 +0000] \"GET /a\\x00b HTTP/1.1\" 200 1",
                "203.0.113.7 - - [17/Nov/2026:22:41:33 +0000] \"GET /../etc/passwd HTTP/1.1\" 400 1",
                "203.0.113.7 - - [17/Nov/2026:22:41:33 +0000] \"GET /%ZZ HTTP/1.1\" 400 1",
                "203.0.113.7 - - [17/Nov/2026:22:41:33 +0000] \"get /a HTTP/1.1\" 400 1",
                "203.0.113.7 - - [17/Nov/2026:22:41:33 +0000] \"GET /never ended",
                "203.0.113.7 - - [17/Nov/-026:22:41:33 +0000] \"GET /a HTTP/1.1\" 200 1",
                "203.0.113.7 - - [17/Nov/9999:22:41:33 +0000] \"GET /a HTTP/1.1\" 200 1",
                "203.0.113.7 - - [] \"GET /a HTTP/1.1\" 200 1",
                "203.0.113.7 - - [17/Nov/2198:22:41:33 +0000] \"GET /a HTTP/1.1\" 200 1"
            })
    void oneBadLineIsCountedAndShown(String bad) {
        ReadLog log = common(
                (GOOD + "\n" + bad.replace("NUL", "\u0000") + "\n\n" + GOOD + "\n").getBytes(StandardCharsets.UTF_8));
        assertThat(log.requests()).hasSize(2);
        assertThat(log.problems().unreadable()).isEqualTo(1);
        assertThat(log.problems().firstUnreadable())
                .singleElement()
                .asString()
                .matches("log0:2:\\d+: [^\\n]* \\(expected: [^\\n]*\\)");
    }

    @Test
    void aHugeLineTakesNoMemory() {
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        log.writeBytes((GOOD + "\n").getBytes(StandardCharsets.UTF_8));
        log.writeBytes("x".repeat(3_000_000).getBytes(StandardCharsets.UTF_8));
        log.writeBytes(("\n" + GOOD + "\n").getBytes(StandardCharsets.UTF_8));
        ReadLog read = common(log.toByteArray());
        assertThat(read.requests()).hasSize(2);
        assertThat(read.requests().get(1).line()).isEqualTo(3);
        assertThat(read.problems().firstUnreadable())
                .containsExactly("log0:2:1: too long (expected: at most 65536 bytes)");
    }

    @Test
    void aLineOfExactlyTheMostBytesIsRead() {
        String padded = GOOD.replace("/good", "/good?" + "q".repeat(65_536 - GOOD.length() - 1));
        assertThat(padded).hasSize(65_536);
        ReadLog read = common((GOOD + "\n" + padded + "\n" + padded + "q\n" + GOOD).getBytes(StandardCharsets.UTF_8));
        assertThat(read.problems().unreadable()).isEqualTo(1);
        assertThat(read.requests()).extracting(LoggedRequest::line).containsExactly(1L, 2L, 4L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "combined",
                "common",
                "envoy",
                "envoy-json",
                "jsonl",
                "alb",
                "csv",
                "sluice",
                "$remote_addr \"$msec\" $request"
            })
    void binaryDoesNotStopAnyFormat(String format) {
        Random random = new Random(format.hashCode());
        byte[] noise = new byte[300_000];
        random.nextBytes(noise);
        String shapes = "{}[]\":,\\ -/.0189eunt\n";
        for (int i = 0; i < noise.length / 2; i++) {
            noise[i] = (byte) shapes.charAt(random.nextInt(shapes.length()));
        }
        LogOptions options = new LogOptions(
                Optional.of(LogFormat.of(format)),
                Map.of(),
                Map.of(),
                Set.of("user", "query.a", "header.host"),
                1 << 20);
        ReadLog log = ReadLog.of(options, noise);
        assertThat(log.requests()).isEmpty();
        assertThat(log.problems().unreadable()).isGreaterThan(100);
        assertThat(log.problems().firstUnreadable()).hasSize(10).allSatisfy(line -> assertThat(line)
                .matches("log0:\\d+:\\d+: [^\\n]* \\(expected: [^\\n]*\\)"));
    }

    @Test
    void deepJsonIsRefused() {
        String deep = "{\"time\":1794955293,\"path\":\"/a\",\"x\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}";
        ReadLog log = ReadLog.of("jsonl", Map.of(), Set.of(), deep + "\n{\"time\":1794955293,\"path\":\"/a\"}\n");
        assertThat(log.requests()).hasSize(1);
        assertThat(log.problems().unreadable()).isEqualTo(1);
    }

    @Test
    void problemsDoNotRepeatWhatTheLineSays() {
        ReadLog log = common("203.0.113.7 - - [17/Nov/2026:22:41:33 +0000] \"GET /../secret HTTP/1.1\" 200 1\n"
                .getBytes(StandardCharsets.UTF_8));
        assertThat(log.problems().firstUnreadable()).singleElement().asString().doesNotContain("secret");
    }

    private static ReadLog common(byte[] content) {
        LogOptions options = new LogOptions(
                Optional.of(LogFormat.of("common")), Map.of(), Map.of(), Set.of(), LogOptions.DEFAULT_ORDER_BYTES);
        return ReadLog.of(options, content);
    }
}
