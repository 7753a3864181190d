package io.sluice.center.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsvLineTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "=cmd|' /C calc'!A0",
                "+1+2",
                "-1",
                "@SUM(A1)",
                "\t=1",
                "\r=1",
                "\n=1",
                "\"=1\"",
                "'=1",
                "  =1",
                "\u00a0=1",
                "\u200b=1",
                "\ufeff=1",
                "\u202e=1",
                "\u201c=1",
                "\uff1d1",
                "\uff0b1",
                "\uff0d1",
                "\uff201",
                "\u22121",
                "\u0000=1",
                "\" '\t=1"
            })
    void neverLetsAFormulaThrough(String value) {
        String cell = CsvLine.of(List.of(value)).strip();
        String text = cell.startsWith("\"") ? cell.substring(1) : cell;
        assertThat(text).as(cell).startsWith("'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user:ann", "12", "a=b", "2026-11-17T00:00:00Z", "", "1..5", "ä", "人", "\ud83d\ude00"})
    void leavesOtherTextAsItIs(String value) {
        assertThat(CsvLine.of(List.of(value))).isEqualTo(value + "\r\n");
    }

    @Test
    void quotesAsTheRfcSays() {
        assertThat(CsvLine.of(List.of("a,b", "say \"no\"", "c", " d ", "e;f")))
                .isEqualTo("\"a,b\",\"say \"\"no\"\"\",c,\" d \",\"e;f\"\r\n");
    }

    @Test
    void hasOneLineAndNoCharacterThatDoesNotShow() {
        String line = CsvLine.of(List.of("a\r\nb\tc\u001b[31md\u202ee\u0000f\u2028g\u009bh"));
        assertThat(line).isEqualTo("a\\r\\nb\\tc\\u001b[31md\\u202ee\\u0000f\\u2028g\\u009bh\r\n");
    }

    @Test
    void escapesInJsonWhatDoesNotShow() {
        assertThat(PlainJson.of("{\"a\":\"\u202ex\u200by\u009bz\ud83d\ude00é\"}"))
                .isEqualTo("{\"a\":\"\\u202ex\\u200by\\u009bz\ud83d\ude00é\"}");
        assertThat(PlainJson.ascii("é\ud83d\ude00")).isEqualTo("\\u00e9\\ud83d\\ude00");
    }
}
