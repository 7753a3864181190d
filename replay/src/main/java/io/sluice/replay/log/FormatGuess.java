package io.sluice.replay.log;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Guesses the format of a log from its first lines. */
final class FormatGuess {

    private static final int LINES = 40;

    private FormatGuess() {}

    /** Returns the format that reads most of the lines, if any reads at least half of them. */
    static Optional<LogFormat> of(List<byte[]> head, Layout layout, Map<String, String> mapping) {
        List<byte[]> lines = head.subList(0, Math.min(LINES, head.size()));
        LogFormat best = null;
        int most = 0;
        for (LogFormat format : LogFormat.NAMED) {
            int readable = fits(format, lines) ? readable(format, lines, layout, mapping) : 0;
            if (readable > most) {
                most = readable;
                best = format;
            }
        }
        return most * 2 >= lines.size() ? Optional.ofNullable(best) : Optional.empty();
    }

    /**
     * Returns whether a format fits. JSON of Sluice and of Envoy is recognised by field names that other JSON logs do not have.
     */
    private static boolean fits(LogFormat format, List<byte[]> lines) {
        String first = lines.isEmpty() ? "" : new String(lines.get(0), StandardCharsets.UTF_8);
        return switch (format.name()) {
            case "sluice" -> first.contains("\"rule_version\"") && first.contains("\"dimensions\"");
            case "envoy-json" ->
                first.contains("\"start_time\"")
                        && (first.contains("\"response_flags\"") || first.contains("\"authority\""));
            default -> true;
        };
    }

    private static int readable(LogFormat format, List<byte[]> lines, Layout layout, Map<String, String> mapping) {
        LineParser parser;
        try {
            parser = format.parser(layout, mapping);
        } catch (IllegalArgumentException e) {
            return 0;
        }
        LineFields fields = new LineFields(layout);
        int readable = 0;
        boolean headed = false;
        for (byte[] line : lines) {
            fields.clear();
            LineParser.Line read = parser.read(line, 0, line.length, fields);
            headed |= read == LineParser.Line.NOTHING;
            if (read == LineParser.Line.REQUEST && fields.complete()) {
                readable++;
            }
        }
        // A heading with requests below it is also a readable line.
        return readable + (headed && readable > 0 ? 1 : 0);
    }
}
