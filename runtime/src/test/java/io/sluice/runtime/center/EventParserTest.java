package io.sluice.runtime.center;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventParserTest {

    private static final int MOST = 100;
    private static final String STREAM = """
            : ok

            event: rules
            id: 1:ab
            data: {
            data:  é
            data:
            data: }

            event:none
            data:{}

            retry: 5

            """;

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void findsTheSameEventsHoweverTheBytesArrive(String lineEnd) {
        byte[] bytes = STREAM.replace("\n", lineEnd).getBytes(StandardCharsets.UTF_8);
        for (int size = 1; size <= bytes.length; size++) {
            EventParser parser = new EventParser(MOST);
            List<String> events = new ArrayList<>();
            for (int from = 0; from < bytes.length; from += size) {
                events.addAll(shown(parser.parse(ByteBuffer.wrap(bytes, from, Math.min(size, bytes.length - from)))));
            }
            assertThat(events).as("pieces of %d", size).containsExactly("rules 1:ab {\n é\n\n}", "none  {}");
        }
    }

    @Test
    void anEventWithoutItsEndIsNone() {
        assertThat(parsed("event: rules\nid: 1:ab\ndata: {}\n")).isEmpty();
        assertThat(parsed("event: rules\nid: 1:ab\n\n")).isEmpty();
    }

    @Test
    void nothingOfAnEventStaysForTheNext() {
        assertThat(parsed("event: a\nid: 1\ndata: x\n\ndata: y\n\n")).containsExactly("a 1 x", "  y");
    }

    @Test
    void ignoresFieldsThatItDoesNotKnow() {
        assertThat(parsed("what\nwhat: ever\n: data: no\ndata\ndata: x\nDATA: y\n\n"))
                .containsExactly("  \nx");
    }

    @Test
    void dropsATextThatIsTooLongAndKeepsItsName() {
        String line = "data: " + "x".repeat(60) + "\n";

        assertThat(parsed("event: rules\n" + line + "id: 7\n" + line + line + "\nevent: a\ndata: x\n\n"))
                .containsExactly("rules 7 too long", "a  x");
    }

    @Test
    void dropsALineThatNeverEnds() {
        EventParser parser = new EventParser(MOST);
        byte[] piece = "x".repeat(1_000).getBytes(StandardCharsets.UTF_8);
        assertThat(parser.parse(bytes("data: "))).isEmpty();
        for (int i = 0; i < 100; i++) {
            assertThat(parser.parse(ByteBuffer.wrap(piece))).isEmpty();
        }
        assertThat(shown(parser.parse(bytes("\n\ndata: x\n\n")))).containsExactly("  too long", "  x");
    }

    @Test
    void takesTextsUpToTheBound() {
        assertThat(parsed("data: " + "x".repeat(MOST) + "\n\n")).containsExactly("  " + "x".repeat(MOST));
        assertThat(parsed("data: " + "x".repeat(MOST + 1) + "\n\n")).containsExactly("  too long");
    }

    private static List<String> parsed(String text) {
        return shown(new EventParser(MOST).parse(bytes(text)));
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> shown(List<ServerEvent> events) {
        return events.stream()
                .map(event -> event.name() + " " + event.id() + " "
                        + (event.tooLong() ? "too long" : new String(event.data(), StandardCharsets.UTF_8)))
                .toList();
    }
}
