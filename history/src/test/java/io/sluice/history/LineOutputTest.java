package io.sluice.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LineOutputTest {

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final LineOutput out = new LineOutput(file);

    @Test
    void writesEveryNumberAsJavaDoes() throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long any = random.nextLong() >> random.nextInt(64);
            assertThat(number(any)).isEqualTo(Long.toString(any));
        }
        long power = 1;
        for (int digits = 1; digits <= 19; digits++) {
            for (long each : List.of(power - 1, power, power + 1, -power, 5 * power)) {
                assertThat(number(each)).isEqualTo(Long.toString(each));
            }
            power *= 10;
        }
        for (long each : List.of(0L, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1)) {
            assertThat(number(each)).isEqualTo(Long.toString(each));
        }
    }

    @Test
    void writesEveryCharacterReadably() throws IOException {
        StringBuilder all = new StringBuilder();
        for (int c = 0; c <= 0xFFFF; c += c < 0x3000 ? 1 : 97) {
            all.append((char) c);
        }
        out.begin("x").text(all.toString()).text(null).text("").yes(true).yes(false);
        out.end();
        out.flush();
        JsonNode line = new ObjectMapper().readTree(file.toByteArray());
        assertThat(line.get(1).asText()).isEqualTo(all.toString());
        assertThat(line.get(2).isNull()).isTrue();
        assertThat(line.get(3).asText()).isEmpty();
        assertThat(line.get(4).asInt()).isEqualTo(1);
        assertThat(line.get(5).asInt()).isZero();
    }

    @Test
    void writesLinesLongerThanItsBuffer() throws IOException {
        String text = "é".repeat(100_000);
        for (int i = 0; i < 3; i++) {
            out.begin("x").text(text).end();
        }
        out.close();
        List<String> lines = file.toString(StandardCharsets.US_ASCII).lines().toList();
        assertThat(lines).hasSize(3).allMatch(line -> line.length() == 6 * text.length() + "[\"x\",\"\"]".length());
    }

    private String number(long number) throws IOException {
        file.reset();
        out.begin("x").number(number).end();
        out.flush();
        String line = file.toString(StandardCharsets.US_ASCII).strip();
        return line.substring("[\"x\",".length(), line.length() - 1);
    }
}
