package io.sluice.rules;

import io.sluice.rules.internal.SetDigest;
import io.sluice.rules.yaml.DocumentError;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A whole numbered set as text, for disks and stores: {@code {"version":12,"digest":"…","rules":[…]}}, where the digest is {@link
 * RuleSet#digest} and shows damage and careless edits, not a forger. A released set also says which share of the nodes it is for
 * ({@code "share":10} after the digest, in percent).
 */
public final class RuleSetText {

    /** So many bytes of the beginning are enough for {@link #stamp}. */
    public static final int LONGEST_HEAD = 128;

    private static final String RULES = "\"rules\":[";
    private static final String END = "]}";
    private static final Pattern HEAD = Pattern.compile(
            "\\{\"version\":([1-9][0-9]{0,14}),\"digest\":\"([0-9a-f]{64})\",(?:\"share\":([1-9][0-9]{0,2}),)?");

    /** Documents have bounds that a set of many documents may exceed, so it is read in parts of so many rules. */
    private static final int PART = 5_000;

    private RuleSetText() {}

    /** What a text was. */
    public sealed interface Reading {

        /** A set. */
        record Found(RuleSet rules) implements Reading {}

        /** Something is wrong with it. */
        record Unusable(List<DocumentError> errors) implements Reading {
            public Unusable {
                errors = List.copyOf(errors);
            }
        }
    }

    /** Writes a set, a rule at a time. */
    public static void write(RuleSet rules, Consumer<String> out) {
        out.accept("{\"version\":" + rules.version() + ",\"digest\":\"" + rules.digest() + "\",");
        rules.releasedTo().ifPresent(share -> out.accept("\"share\":" + share + ","));
        boolean[] begun = new boolean[1];
        RuleJson.write(rules.rules(), text -> {
            out.accept(text.substring(begun[0] ? 0 : 1));
            begun[0] = true;
        });
    }

    /** What a text says of itself at its beginning; empty if that is none. */
    public static Optional<RuleStamp> stamp(byte[] beginning) {
        Matcher head = head(beginning);
        return head.lookingAt() ? Optional.of(stamp(head)) : Optional.empty();
    }

    /** Whether this is the set of this stamp, undamaged. */
    public static boolean holds(byte[] text, RuleStamp stamp) {
        Matcher head = head(text);
        return head.lookingAt()
                && stamp(head).equals(stamp)
                && digest(text, head.end()).equals(stamp.digest());
    }

    /**
     * Reads a set.
     *
     * @param name what errors call it
     */
    public static Reading read(String name, byte[] text) {
        Matcher head = head(text);
        if (!head.lookingAt()) {
            return unusable(name, "document: not a kept rule set (expected: version, digest and rules)");
        }
        String digest = digest(text, head.end());
        if (!digest.equals(head.group(2))) {
            return unusable(name, "digest: " + digest + " (expected: " + head.group(2) + ", it was changed)");
        }
        try {
            OptionalInt share =
                    head.group(3) == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(head.group(3)));
            if (share.isPresent() && (share.getAsInt() < 1 || share.getAsInt() > 100)) {
                return unusable(name, "share: " + share.getAsInt() + " (expected: 1..100, percent)");
            }
            return rules(name, stamp(head).version(), share, text(text, head.end()));
        } catch (CharacterCodingException e) {
            return unusable(name, "encoding: not UTF-8 (expected: UTF-8)");
        }
    }

    private static Reading rules(String name, long version, OptionalInt share, String text) {
        if (!text.startsWith(RULES) || !text.endsWith(END)) {
            return unusable(name, "document: not a kept rule set (expected: version, digest and rules)");
        }
        String body = text.substring(RULES.length(), text.length() - END.length());
        List<String> lines =
                body.isEmpty() ? List.of() : Arrays.asList(body.substring(1).split(",\n", -1));
        List<RuleDocument.Text> parts = new ArrayList<>();
        for (int i = 0; i < lines.size(); i += PART) {
            String part = String.join(",\n", lines.subList(i, Math.min(lines.size(), i + PART)));
            parts.add(new RuleDocument.Text(name, "{\"rules\":[" + part + "]}"));
        }
        RuleDocument document = RuleDocument.parseAll(parts);
        if (document instanceof RuleDocument.Refused refused) {
            return new Reading.Unusable(refused.errors());
        }
        RuleSet rules = new RuleSet(version, ((RuleDocument.Accepted) document).rules());
        return new Reading.Found(share.isPresent() ? rules.releasedTo(share.getAsInt()) : rules);
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

    private static String text(byte[] bytes, int from) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes, from, bytes.length - from))
                .toString();
    }
}
