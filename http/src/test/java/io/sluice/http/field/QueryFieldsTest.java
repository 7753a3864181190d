package io.sluice.http.field;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueryFieldsTest {

    private static final QueryFields FIELDS = QueryFields.of(List.of("ip", "query.user"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "user=b | b",
                "user=\u0162 | \u0162",
                "user=%C5%A2 | \u0162",
                "user=\ud83d\ude00 | \ud83d\ude00",
                "user=a+%62%2 | a b%2",
                "x=%ff&user=b | b",
                "%ff=1&user=b | b",
            })
    void aValueIsTheTextThatItStandsFor(String query, String value) {
        assertThat(FIELDS.addedTo(Map.of("path", "/a?" + query))).containsEntry("query.user", value);
    }

    @Test
    void aNameIsNotOneOfOtherCharacters() {
        assertThat(FIELDS.addedTo(Map.of("path", "/a?\u0175ser=b&\u0175ser=c"))).doesNotContainKey("query.user");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user=%ff", "user=%fe", "user=%C5", "user=%ED%A0%80"})
    void aValueThatIsNotTextIsRefused(String query) {
        assertThatThrownBy(() -> FIELDS.addedTo(Map.of("path", "/a?" + query)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("query.user: not UTF-8 (expected: percent-encoded UTF-8)");
    }

    @Test
    void aLoneSurrogateIsRefused() {
        assertThatThrownBy(() -> FIELDS.addedTo(Map.of("path", "/a?user=\ud83d")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("path: half of a surrogate pair in the query (expected: valid Unicode text)");
    }
}
