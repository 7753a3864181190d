package io.sluice.center.erase;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * The data that the center itself removed, with its places. It does not reveal the subject. Immutable.
 *
 * @param removed the number of items of each kind
 * @param left the data that could not be removed, with advice for the user, as sentences
 * @param rows the audit rows that lost their content
 * @param texts the free texts that were replaced
 * @param hashes keyed hashes of the hashes under which nodes know the subject
 * @param asked the nodes that were known at the time
 * @param trials the running trials that name the subject
 */
record Removal(
        Map<String, Long> removed,
        List<String> left,
        List<Row> rows,
        List<Text> texts,
        List<String> hashes,
        List<AskedNode> asked,
        List<Long> trials) {

    static final String OVERRIDES = "overrides";
    static final String TRIAL_CALLERS = "trial_callers";
    static final String AUDIT_ROWS = "audit_rows";
    static final String TEXTS = "texts";

    private static final JsonMapper JSON = JsonMapper.shared();

    /** An audit row and its leaf in the tree. */
    record Row(long number, String hash) {}

    /**
     * A free text.
     *
     * @param hash the keyed hash of the original text
     */
    record Text(String table, long id, String column, String hash) {}

    /**
     * A node that was known at the time.
     *
     * @param http whether it reports over HTTP, so that it can be asked
     */
    record AskedNode(String id, String name, boolean http) {}

    Removal {
        removed = new TreeMap<>(removed);
        left = List.copyOf(left);
        rows = List.copyOf(rows);
        texts = List.copyOf(texts);
        hashes = List.copyOf(hashes);
        asked = List.copyOf(asked);
        trials = List.copyOf(trials);
    }

    static Removal parse(String json) {
        return JSON.readValue(json, Removal.class);
    }

    String json() {
        return JSON.writeValueAsString(this);
    }

    boolean isNothing() {
        return removed.values().stream().allMatch(count -> count == 0) && trials.isEmpty();
    }

    /** Returns this removal with the nodes to ask. */
    Removal asking(List<AskedNode> nodes) {
        return new Removal(removed, left, rows, texts, hashes, nodes, trials);
    }

    /** Returns this removal with overrides and audit rows that were found later by the hashes that a node reported. */
    Removal with(Removal found) {
        Map<String, Long> counts = new HashMap<>(removed);
        found.removed.forEach((kind, count) -> counts.merge(kind, count, Long::sum));
        return new Removal(
                counts,
                joined(left, found.left),
                joined(rows, found.rows),
                texts,
                joined(hashes, found.hashes),
                asked,
                trials);
    }

    private static <T> List<T> joined(List<T> known, List<T> more) {
        List<T> all = new ArrayList<>(known);
        more.stream().filter(each -> !all.contains(each)).forEach(all::add);
        return all;
    }

    /** Returns this removal with items that were removed from data outside the database. */
    Removal with(Map<String, Long> more) {
        Map<String, Long> counts = new HashMap<>(removed);
        more.forEach((kind, count) -> counts.merge(kind, count, Long::sum));
        return new Removal(counts, left, rows, texts, hashes, asked, trials);
    }

    /** Returns this removal after trials have ended. */
    Removal with(StoredTexts.ErasedCallers named) {
        Map<String, Long> counts = new HashMap<>(removed);
        named.counts().forEach((kind, count) -> counts.merge(kind, count, Long::sum));
        return new Removal(counts, left, rows, texts, hashes, asked, named.waiting());
    }

    /** Returns the data that is left now, as sentences. */
    List<String> leftNow() {
        List<String> now = new ArrayList<>(left);
        if (!trials.isEmpty()) {
            String numbers = trials.stream().map(String::valueOf).collect(Collectors.joining(", "));
            now.add("rollouts " + numbers + ": a trial that goes on names the subject (promote or abort it; the center"
                    + " erases the name then)");
        }
        return now;
    }
}
