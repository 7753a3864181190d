package io.sluice.rules.snapshot;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.DocumentError;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and writes a whole rule set as text, for disks and stores: {@code {"version":12,"digest":"…","rules":[…]}}. The digest is {@link
 * RuleSet#digest}. It reveals damage and careless edits, but does not stop a forger. A released set also contains the share of nodes that
 * it was released to, in percent ({@code "share":10} after the digest).
 */
public final class RuleSetText {

    /** The number of leading bytes that are enough for {@link #stamp}. */
    public static final int LONGEST_HEAD = 128;

    private static final String RULES = "\"rules\":[";
    private static final String END = "]}";
    private static final Pattern HEAD = Pattern.compile(
            "\\{\"version\":([1-9][0-9]{0,14}),\"digest\":\"([0-9a-f]{64})\",(?:\"share\":([1-9][0-9]{0,2}),)?");

    private static final String NO_SET = "document: not a saved rule set (expected: version, digest and rules)";

    private RuleSetText() {}

    /** The result of reading a text. */
    public sealed interface Reading {

        /** A rule set. */
        record Found(RuleSet rules) implements Reading {}

        /** A text with errors. */
        record Unusable(List<DocumentError> errors) implements Reading {
            public Unusable {
                errors = List.copyOf(errors);
            }
        }
    }

    /** Writes a set, one rule at a time. */
    public static void write(RuleSet rules, Consumer<String> out) {
        out.accept("{\"version\":" + rules.version() + ",\"digest\":\"" + rules.digest() + "\",");
        rules.releasedTo().ifPresent(share -> out.accept("\"share\":" + share + ","));
        boolean[] begun = new boolean[1];
        RuleJson.write(rules.rules(), text -> {
            out.accept(text.substring(begun[0] ? 0 : 1));
            begun[0] = true;
        });
    }

    /** Returns the stamp at the beginning of a text; empty if there is none. */
    public static Optional<RuleStamp> stamp(byte[] beginning) {
        Matcher head = head(beginning);
        return head.lookingAt() ? Optional.of(stamp(head)) : Optional.empty();
    }

    /** Returns whether this is the set with this stamp, undamaged. */
    public static boolean holds(byte[] text, RuleStamp stamp) {
        Matcher head = head(text);
        return head.lookingAt()
                && stamp(head).equals(stamp)
                && digest(text, head.end()).equals(stamp.digest());
    }

    /**
     * Reads a set.
     *
     * @param name the name of the text in errors
     */
    public static Reading read(String name, byte[] text) {
        return read(name, text, Integer.MAX_VALUE);
    }

    /**
     * Reads a set, unless it is too large.
     *
     * @param name the name of the text in errors
     * @param mostRules the maximum number of rules; a set with more rules is refused before they are parsed
     */
    public static Reading read(String name, byte[] text, int mostRules) {
        Matcher head = head(text);
        if (!head.lookingAt()) {
            return unusable(name, NO_SET);
        }
        String digest = digest(text, head.end());
        if (!digest.equals(head.group(2))) {
            return unusable(name, "digest: " + digest + " (expected: " + head.group(2) + "; the content was changed)");
        }
        OptionalInt share =
                head.group(3) == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(head.group(3)));
        if (share.isPresent() && (share.getAsInt() < 1 || share.getAsInt() > 100)) {
            return unusable(name, "share: " + share.getAsInt() + " (expected: 1..100, percent)");
        }
        int body = head.end() + RULES.length();
        int end = text.length - END.length();
        if (body > end || !isAt(text, head.end(), RULES) || !isAt(text, end, END)) {
            return unusable(name, NO_SET);
        }
        // The first line begins after a line feed.
        SetChunks parts = new SetChunks(name, text, body + 1, end);
        int count = parts.lines();
        if (count > mostRules) {
            return unusable(name, "rules: " + count + " (expected: at most " + mostRules + ")");
        }
        try {
            return rules(stamp(head).version(), share, RuleDocument.parseAll(parts));
        } catch (UncheckedIOException e) {
            return unusable(name, "encoding: not UTF-8 (expected: UTF-8)");
        }
    }

    /**
     * Returns one rule of a text that {@link #write} has written, without parsing the other rules and without checking the digest; empty if
     * the text has no such rule.
     *
     * @throws IllegalArgumentException if the rule has errors
     */
    public static Optional<Rule> rule(String text, String id) {
        int begin = text.indexOf("\n{\"id\":\"" + id + "\"");
        if (begin < 0) {
            return Optional.empty();
        }
        int end = text.indexOf(",\n", begin);
        String line = text.substring(begin, end < 0 ? text.length() - END.length() : end);
        RuleDocument document = RuleDocument.parseRule("rule " + id, line);
        if (document instanceof RuleDocument.Refused refused) {
            throw new IllegalArgumentException(refused.errors().get(0).toString());
        }
        // An id that contains quotes may find the line of another rule.
        return ((RuleDocument.Accepted) document)
                .rules().stream().filter(rule -> rule.id().equals(id)).findFirst();
    }

    private static Reading rules(long version, OptionalInt share, RuleDocument document) {
        if (document instanceof RuleDocument.Refused refused) {
            return new Reading.Unusable(refused.errors());
        }
        RuleSet rules = new RuleSet(version, ((RuleDocument.Accepted) document).rules());
        return new Reading.Found(share.isPresent() ? rules.releasedTo(share.getAsInt()) : rules);
    }

    private static boolean isAt(byte[] text, int from, String expected) {
        return new String(text, from, expected.length(), StandardCharsets.ISO_8859_1).equals(expected);
    }

    private static Reading unusable(String name, String message) {
        return new Reading.Unusable(List.of(DocumentError.of(name, message)));
    }

    private static Matcher head(byte[] bytes) {
        int length = Math.min(bytes.length, LONGEST_HEAD);
        return HEAD.matcher(new String(bytes, 0, length, StandardCharsets.ISO_8859_1));
    }

    private static RuleStamp stamp(Matcher head) {
        return new RuleStamp(Long.parseLong(head.group(1)), head.group(2), head.group(3) != null);
    }

    private static String digest(byte[] bytes, int from) {
        return SetDigest.ofText("{", bytes, from);
    }
}
