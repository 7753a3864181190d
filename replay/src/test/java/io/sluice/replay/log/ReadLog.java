package io.sluice.replay.log;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A log that was read to its end.
 *
 * @param requests all of them, in their order
 */
public record ReadLog(
        List<LoggedRequest> requests, LogProblems problems, Map<String, String> formats, Set<String> missing) {

    /** Reads one log whose format is guessed. */
    public static ReadLog of(String text, String... wanted) {
        return of(LogOptions.wanting(Set.of(wanted)), text.getBytes(StandardCharsets.UTF_8));
    }

    /** Reads logs of this format. */
    public static ReadLog of(String format, Map<String, String> mapping, Set<String> wanted, String... logs) {
        LogOptions options = new LogOptions(
                Optional.of(LogFormat.of(format)), mapping, Map.of(), wanted, LogOptions.DEFAULT_ORDER_BYTES);
        byte[][] contents = new byte[logs.length][];
        for (int i = 0; i < logs.length; i++) {
            contents[i] = logs[i].getBytes(StandardCharsets.UTF_8);
        }
        return of(options, contents);
    }

    static ReadLog of(LogOptions options, byte[]... contents) {
        List<LogInput> inputs = new ArrayList<>();
        for (byte[] content : contents) {
            inputs.add(LogInput.once("log" + inputs.size(), new ByteArrayInputStream(content)));
        }
        return of(options, inputs);
    }

    static ReadLog of(LogOptions options, List<LogInput> inputs) {
        try (LogReader reader = LogReader.open(inputs, options)) {
            List<LoggedRequest> requests = new ArrayList<>();
            for (LoggedRequest next = reader.next(); next != null; next = reader.next()) {
                requests.add(next);
            }
            return new ReadLog(requests, reader.problems(), reader.formats(), reader.missing());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    LoggedRequest only() {
        if (requests.size() != 1) {
            throw new AssertionError(requests.size() + " requests; unreadable: " + problems.firstUnreadable());
        }
        return requests.get(0);
    }

    String only(String attribute) {
        return only().attributes().get(attribute);
    }
}
