package io.sluice.center.erase;

import io.sluice.center.audit.LoggedRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds subjects in texts by hashes only: the hash of the whole text and the hash of each of its words. A value of several words
 * is found only as a whole text. Not thread-safe.
 */
final class WordHashes {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Pattern BETWEEN = Pattern.compile("[\\s,;\"'()\\[\\]{}<>]+");
    private static final Pattern EDGES = Pattern.compile("^[.:!?]+|[.:!?]+$");
    private static final int SHORTEST_WORD = 3;
    private static final int MOST_KNOWN = 100_000;

    private final ErasureKey key;

    /** The hashes of words, because texts repeat their words. */
    private final Map<String, String> known = new HashMap<>();

    WordHashes(ErasureKey key) {
        this.key = key;
    }

    /** Returns whether a text names a subject. */
    boolean isIn(String text, ErasureList.Entry entry) {
        return words(text).stream().anyMatch(word -> isOf(word, entry));
    }

    /** Returns the audit rows whose content names subjects, by subject. Reads all rows once. */
    Map<ErasureList.Entry, List<Long>> rows(JdbcClient client, List<ErasureList.Entry> entries) {
        Map<ErasureList.Entry, List<Long>> found = new HashMap<>();
        if (entries.isEmpty()) {
            return found;
        }
        long until = 0;
        for (List<LoggedRow> page = LoggedRow.above(client, until);
                !page.isEmpty();
                page = LoggedRow.above(client, until)) {
            for (LoggedRow row : page) {
                until = row.row().number();
                if (!row.isErased() && !Findings.KEPT.contains(row.row().kind())) {
                    Set<String> words = words(row);
                    entries.stream()
                            .filter(entry -> words.stream().anyMatch(word -> isOf(word, entry)))
                            .forEach(entry -> found.computeIfAbsent(entry, each -> new ArrayList<>())
                                    .add(row.row().number()));
                }
            }
        }
        return found;
    }

    private boolean isOf(String word, ErasureList.Entry entry) {
        if (known.size() > MOST_KNOWN) {
            known.clear();
        }
        return known.computeIfAbsent(entry.attribute() + "\n" + word, text -> key.caller(entry.attribute(), word))
                .equals(entry.subject());
    }

    private static Set<String> words(LoggedRow row) {
        Set<String> words = words(row.reason());
        try {
            strings(JSON.readTree(row.body()), text -> words.addAll(words(text)));
        } catch (JacksonException e) {
            words.addAll(words(row.body()));
        }
        return words;
    }

    private static void strings(JsonNode node, Consumer<String> out) {
        if (node.isString()) {
            out.accept(node.asString());
        }
        node.forEach(child -> strings(child, out));
    }

    private static Set<String> words(String text) {
        Set<String> words = new LinkedHashSet<>();
        if (!text.isEmpty()) {
            words.add(text);
        }
        for (String part : BETWEEN.split(text, -1)) {
            String word = EDGES.matcher(part).replaceAll("");
            if (word.codePointCount(0, word.length()) >= SHORTEST_WORD) {
                words.add(word);
            }
        }
        return words;
    }
}
