package io.sluice.node.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.snapshot.RuleSet;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PlainCheckTest {

    /** The pieces of bodies, so that most bodies are nearly valid. */
    private static final List<String> PIECES = List.of(
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            " ",
            "\n",
            "\t",
            "\r",
            "\"",
            "\\",
            "\"attributes\"",
            "\"attributes\":{",
            "\"permits\"",
            "\"permits\":",
            "\"permit\":1",
            "\"reserve\"",
            "\"reserve\":",
            "\"reserve\":true",
            ",\"reserve\":false",
            "false",
            "0",
            "1",
            "007",
            "-1",
            "1.0",
            "1e3",
            "999999999",
            "1000000000",
            "99999999999999999999",
            "true",
            "null",
            "\"user\":\"u-1\"",
            "\"user\":\"u-2\"",
            "\"path\":\"/a/b\"",
            "\"ip\":\"203.0.113.7\"",
            "\"header.X\":\"1\"",
            "\"header.x\":\"2\"",
            "\"n\":7",
            "\"n\":null",
            "\"\\u0041\":\"\\ud800\"",
            "\"é\":\"ü\"",
            "\u0000",
            "\u007f",
            "\u0080",
            "{\"attributes\":{",
            "},\"permits\":1}",
            "}}",
            "\"\":\"\"",
            "/**/",
            "\ufeff");

    @Test
    void readsExactlyWhatTheStrictReaderReads() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int plain = 0;
        for (int i = 0; i < 300_000; i++) {
            byte[] body = body(random);
            if (PlainCheck.read(body) != null) {
                plain++;
                assertThat(said(() -> CheckRequest.read(body, RuleSet.none())))
                        .as(new String(body, StandardCharsets.UTF_8))
                        .isEqualTo(said(() -> CheckRequest.readStrictly(body, RuleSet.none())));
            }
        }
        assertThat(plain).isGreaterThan(1_000);
    }

    @Test
    void readsUsualBodiesItself() {
        assertThat(PlainCheck.read(bytes("{\"attributes\":{\"user\":\"u-1\"},\"permits\":0}")))
                .isEqualTo(new PlainCheck.Read(Map.of("user", "u-1"), 0, false));
        assertThat(PlainCheck.read(bytes(" { \"permits\" : 3 ,\r\n\t\"attributes\" : { } } ")))
                .isEqualTo(new PlainCheck.Read(Map.of(), 3, false));
        assertThat(PlainCheck.read(bytes("{\"reserve\": true , \"attributes\": {}}")))
                .isEqualTo(new PlainCheck.Read(Map.of(), 1, true));
        assertThat(PlainCheck.read(bytes("{\"attributes\": {}, \"reserve\":false}")))
                .isEqualTo(new PlainCheck.Read(Map.of(), 1, false));
    }

    @Test
    void leavesUnusualBodiesToTheStrictReader() {
        for (String body : List.of(
                "",
                "{}",
                "{\"permits\":1}",
                "{\"attributes\":{\"a\":\"1\",\"a\":\"2\"}}",
                "{\"attributes\":{},\"attributes\":{}}",
                "{\"attributes\":{},\"permits\":1,\"permits\":1}",
                "{\"attributes\":{},\"permits\":01}",
                "{\"attributes\":{},\"permits\":-1}",
                "{\"attributes\":{},\"permits\":1000000000}",
                "{\"attributes\":{},\"other\":1}",
                "{\"attributes\":{},\"reserve\":1}",
                "{\"attributes\":{},\"reserve\":truee}",
                "{\"attributes\":{},\"reserve\":tru",
                "{\"attributes\":{},\"reserve\":\"true\"}",
                "{\"attributes\":{},\"reserve\":true,\"reserve\":true}",
                "{\"attributes\":{\"a\":1}}",
                "{\"attributes\":{\"a\":\"\\n\"}}",
                "{\"attributes\":{\"a\":\"ü\"}}",
                "{\"attributes\":{\"a\":\"\u0001\"}}",
                "{\"attributes\":{\"" + "n".repeat(1_001) + "\":\"1\"}}",
                "{\"attributes\":{}}x",
                "{\"attributes\":{}}{}",
                "{\"attributes\":{},}",
                "{\"attributes\":{\"a\":\"1\",}}",
                "{\"attributes\":{\"a\":\"1\"",
                "{\"attributes\":{\"a\":\"1",
                "{\"attributes\":{},\"permits\":",
                "{\"attributes")) {
            assertThat(PlainCheck.read(bytes(body))).as(body).isNull();
        }
    }

    /** Returns a valid body with some pieces inserted, removed or cut off, or only pieces. */
    private static byte[] body(Random random) {
        StringBuilder body = new StringBuilder(
                random.nextInt(4) == 0
                        ? ""
                        : "{\"attributes\":{\"user\":\"u-1\",\"path\":\"/a\"},\"permits\":" + random.nextInt(20)
                                + (random.nextBoolean() ? ",\"reserve\":" + random.nextBoolean() : "") + "}");
        for (int i = random.nextInt(4); i > 0; i--) {
            int at = random.nextInt(body.length() + 1);
            switch (random.nextInt(3)) {
                case 0 -> body.insert(at, PIECES.get(random.nextInt(PIECES.size())));
                case 1 -> body.delete(at, at + random.nextInt(4));
                default -> body.replace(at, at + 1, PIECES.get(random.nextInt(PIECES.size())));
            }
        }
        return bytes(body.toString());
    }

    private interface Reading {
        CheckRequest read();
    }

    /** Returns what was read, or why it was refused. */
    private static String said(Reading reading) {
        try {
            CheckRequest read = reading.read();
            Map<String, @Nullable String> all = new TreeMap<>();
            read.attributes()
                    .names()
                    .forEach(name -> all.put(name, read.attributes().get(name)));
            return all + " " + read.permits();
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
