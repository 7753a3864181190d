package io.sluice.rules.redis;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.flat.FlatRule;
import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.DocumentError;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads rules from hashes, one rule per hash, in the order of their keys, so that all nodes that read the same hashes get the
 * same set. Unchanged hashes are not parsed again. Not thread-safe.
 *
 * <p>A key that existed before is read even if a scan does not return it, because a scan may miss keys while slots of a Cluster
 * move.
 */
final class FoundingHashes {

    private static final int MOST_ERRORS = 1_000;

    /** Even this many hashes of the largest size take no more than 50 MiB. */
    private static final int AT_ONCE = 200;

    /** Marks a key that is not UTF-8. */
    private static final String UNREADABLE = "\uFFFD";

    private final Map<String, Read> known = new TreeMap<>();

    private record Read(HashContent content, RuleDocument document) {}

    /** Reads all hashes as one set. The set is empty if there are no hashes. */
    RuleDocument read(RuleStore store) {
        Set<String> keys;
        try {
            keys = new TreeSet<>(store.keys(RuleStore.HASH, RuleStore.MOST_RULES));
        } catch (RuleStore.TooManyException e) {
            return refused(RuleStore.HASH + "*", "rules: more than " + RuleStore.MOST_RULES + " (expected: fewer)");
        }
        keys.addAll(known.keySet());
        List<String> asked = List.copyOf(keys);
        long size = 0;
        for (int i = 0; i < asked.size(); i += AT_ONCE) {
            List<String> some = asked.subList(i, Math.min(asked.size(), i + AT_ONCE));
            List<HashContent> contents = store.read(some);
            for (int j = 0; j < some.size(); j++) {
                size += contents.get(j) instanceof HashContent.Fields fields ? fields.size() : 0;
                take(some.get(j), contents.get(j));
            }
            if (size > RuleStore.MOST_BYTES) {
                known.clear();
                return refused(
                        RuleStore.HASH + "*",
                        "size: more than " + RuleStore.MOST_BYTES + " bytes in all (expected: at most that many)");
            }
        }
        return together();
    }

    private static RuleDocument refused(String name, String message) {
        return new RuleDocument.Refused(List.of(DocumentError.of(name, message)));
    }

    private void take(String key, HashContent found) {
        HashContent content = found;
        if (found instanceof HashContent.Gone && key.contains(UNREADABLE)) {
            content = new HashContent.Unusable("key: not UTF-8 (expected: UTF-8)");
        } else if (found instanceof HashContent.Gone) {
            known.remove(key);
            return;
        }
        Read before = known.get(key);
        if (before == null || !before.content().equals(content)) {
            String name = HashReply.printable(key);
            known.put(
                    key,
                    new Read(
                            content,
                            content instanceof HashContent.Fields fields
                                    ? FlatRule.read(name, fields.fields())
                                    : refused(name, ((HashContent.Unusable) content).why())));
        }
    }

    private RuleDocument together() {
        List<Rule> rules = new ArrayList<>();
        List<DocumentError> errors = new ArrayList<>();
        Map<String, String> keys = new HashMap<>();
        known.forEach((key, read) -> {
            if (read.document() instanceof RuleDocument.Refused refused) {
                errors.addAll(refused.errors());
                return;
            }
            Rule rule = ((RuleDocument.Accepted) read.document()).rules().get(0);
            String other = keys.putIfAbsent(rule.id(), key);
            if (other != null) {
                errors.add(DocumentError.of(
                        HashReply.printable(key),
                        "id: " + rule.id() + " (expected: a different id than in " + HashReply.printable(other) + ")"));
            }
            rules.add(rule);
        });
        return errors.isEmpty()
                ? new RuleDocument.Accepted(rules)
                : new RuleDocument.Refused(errors.subList(0, Math.min(errors.size(), MOST_ERRORS)));
    }
}
