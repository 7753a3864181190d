package io.sluice.center.dryrun;

import io.sluice.center.audit.NodeText;
import io.sluice.rules.caller.CallerMarks;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds the masked names of callers. A replay identifies callers by hashes, and a recording contains the mask next to each hash, so the
 * lines of a few requests are read again.
 */
final class MaskedCallers {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int LONGEST = 60;
    private static final String HIDDEN = "hidden";

    private MaskedCallers() {}

    /**
     * Returns the masked name of each caller.
     *
     * @param excerpts the excerpts by the names that the replay gave them
     * @param hidden the attributes whose values are never shown
     */
    static Map<RefusalTally.CallerTally, String> of(
            List<RefusalTally.CallerTally> callers, Map<String, NodeExcerpt> excerpts, Set<String> hidden)
            throws IOException {
        Map<RefusalTally.CallerTally, String> names = new HashMap<>();
        for (Map.Entry<String, NodeExcerpt> excerpt : excerpts.entrySet()) {
            List<RefusalTally.CallerTally> own = callers.stream()
                    .filter(caller -> caller.file().equals(excerpt.getKey()))
                    .toList();
            Map<Long, JsonNode> lines = lines(
                    excerpt.getValue(),
                    new TreeSet<>(
                            own.stream().map(RefusalTally.CallerTally::line).toList()));
            own.forEach(caller -> names.put(
                    caller, name(lines.getOrDefault(caller.line(), JSON.createObjectNode()), caller.by(), hidden)));
        }
        return names;
    }

    private static Map<Long, JsonNode> lines(NodeExcerpt excerpt, NavigableSet<Long> wanted) throws IOException {
        Map<Long, JsonNode> lines = new HashMap<>();
        if (wanted.isEmpty()) {
            return lines;
        }
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(excerpt.requests(), StandardCharsets.UTF_8))) {
            for (long number = 1; number <= wanted.last(); number++) {
                String line = in.readLine();
                if (line == null) {
                    break;
                }
                if (wanted.contains(number)) {
                    try {
                        lines.put(number, JSON.readTree(line));
                    } catch (JacksonException e) {
                        // The caller is displayed without a name.
                    }
                }
            }
        }
        return lines;
    }

    private static String name(JsonNode line, String by, Set<String> hidden) {
        StringJoiner name = new StringJoiner(" · ");
        for (String attribute : by.split(",", -1)) {
            JsonNode masked = line.path("dimensions").path(attribute);
            JsonNode plain = line.path("attributes").path(attribute);
            if (hidden.contains(attribute)) {
                name.add(HIDDEN);
            } else if (masked.isString()) {
                name.add(shown(masked.asString()));
            } else if (plain.isString()) {
                name.add(shown(CallerMarks.mask(attribute, plain.asString())));
            } else {
                name.add("–");
            }
        }
        return name.toString();
    }

    private static String shown(String text) {
        String printable = NodeText.printable(text);
        return printable.length() <= LONGEST
                ? printable
                : printable.substring(0, printable.offsetByCodePoints(0, LONGEST / 2)) + "…";
    }
}
