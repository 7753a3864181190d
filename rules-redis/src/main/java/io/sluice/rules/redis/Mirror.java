package io.sluice.rules.redis;

import io.sluice.rules.flat.FlatRule;
import io.sluice.rules.model.Rule;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Mirrors a released set as hashes in the founding form, so that other tools can read it. Nodes do not read the mirror. */
final class Mirror {

    private static final int NAMED = 10;
    private static final int AT_ONCE = 200;

    private Mirror() {}

    /**
     * Returns the hash of each rule, by its key. If several rules have the same target, the keys of the later ones contain their
     * ids. Rules that exceed the size limit of a hash are left out, because they could not be read back.
     */
    static Map<String, Map<String, String>> of(List<Rule> rules) {
        Map<String, Map<String, String>> hashes = new LinkedHashMap<>();
        for (Rule rule : rules) {
            Map<String, String> fields = FlatRule.write(rule);
            if (size(fields) > HashReply.MOST_BYTES) {
                continue;
            }
            String key = RuleStore.HASH + fields.get("limitType") + ":" + fields.get("limitTarget");
            for (int i = 0; hashes.containsKey(key); i++) {
                key = RuleStore.HASH + "CUSTOM:rule:" + rule.id() + "#".repeat(i);
            }
            hashes.put(key, fields);
        }
        return hashes;
    }

    private static long size(Map<String, String> fields) {
        long size = 0;
        for (Map.Entry<String, String> field : fields.entrySet()) {
            size += field.getKey().length() + field.getValue().getBytes(StandardCharsets.UTF_8).length;
        }
        return size;
    }

    /** Returns the hashes that differ from the released rules, one sentence each; empty if there are none. */
    static List<String> drift(RuleStore store, List<Rule> rules) {
        List<String> different = new ArrayList<>();
        compare(store, of(rules), (key, difference, isOurs) -> different.add(sentence(key, difference)));
        return few(different);
    }

    /** Rewrites hashes of the released rules that were lost or changed. Hashes of other programs stay. */
    static KeptRules repair(RuleStore store, List<Rule> rules) {
        Map<String, Map<String, String>> expected = of(rules);
        Map<String, Map<String, String>> lost = new LinkedHashMap<>();
        List<String> repaired = new ArrayList<>();
        List<String> foreign = new ArrayList<>();
        compare(store, expected, (key, difference, isOurs) -> {
            if (isOurs) {
                lost.put(key, expected.getOrDefault(key, Map.of()));
                repaired.add(sentence(key, difference) + "; written again");
            } else {
                foreign.add(sentence(key, difference));
            }
        });
        store.mirror(lost);
        return new KeptRules(Optional.empty(), few(repaired), few(foreign), false, 0);
    }

    private static String sentence(String key, String difference) {
        return HashReply.printable(key) + " " + difference;
    }

    private static List<String> few(List<String> sentences) {
        if (sentences.size() <= NAMED) {
            return sentences;
        }
        List<String> named = new ArrayList<>(sentences.subList(0, NAMED));
        named.add("and others");
        return named;
    }

    private interface Differences {

        void found(String key, String difference, boolean isOurs);
    }

    private static void compare(RuleStore store, Map<String, Map<String, String>> expected, Differences differences) {
        Set<String> keys = new TreeSet<>(expected.keySet());
        try {
            keys.addAll(store.keys(RuleStore.HASH, RuleStore.MOST_RULES));
        } catch (RuleStore.TooManyException e) {
            differences.found(RuleStore.HASH + "*", "has more than " + RuleStore.MOST_RULES + " hashes", false);
            return;
        }
        List<String> asked = List.copyOf(keys);
        for (int i = 0; i < asked.size(); i += AT_ONCE) {
            List<String> some = asked.subList(i, Math.min(asked.size(), i + AT_ONCE));
            List<HashContent> contents = store.read(some);
            for (int j = 0; j < some.size(); j++) {
                Map<String, String> fields = expected.get(some.get(j));
                String difference = difference(fields, contents.get(j));
                if (!difference.isEmpty()) {
                    differences.found(some.get(j), difference, fields != null);
                }
            }
        }
    }

    private static String difference(@Nullable Map<String, String> expected, HashContent content) {
        if (content instanceof HashContent.Gone) {
            return expected == null ? "" : "is missing";
        }
        if (expected == null) {
            return "is not released";
        }
        return content instanceof HashContent.Fields fields && fields.fields().equals(expected) ? "" : "was changed";
    }
}
