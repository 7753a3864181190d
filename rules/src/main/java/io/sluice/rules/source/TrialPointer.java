package io.sluice.rules.source;

import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.TrialScope;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Names the version on trial and its nodes or callers. As text: {@code 13 share 10} for a share of the nodes, {@code 13 callers 5 by user
 * key 0123456789abcdef} for a share of the callers ({@code … watch} as long as they are only counted), {@code 13 named acme,globex by
 * tenant key 0123456789abcdef} for some of them. Attribute and values are URL-encoded. Immutable.
 */
public record TrialPointer(long version, TrialScope scope) {

    /** The maximum length of the text. */
    public static final int LONGEST = 8_192;

    /** The form of the text. It has no group that repeats, because Java would need more stack for a longer text. */
    private static final Pattern TEXT =
            Pattern.compile("([1-9][0-9]{0,14}) (?:share ([1-9][0-9]?)|(?:callers ([1-9][0-9]?)"
                    + "|named ([0-9A-Za-z.*_%+~,-]+)) by ([0-9A-Za-z.*_%+~-]+) key ([0-9a-f]{16})( watch)?)");

    private static final String UNREADABLE = "\uFFFD";

    /** Reads the text; empty if it does not have this form. */
    public static Optional<TrialPointer> parse(String text) {
        if (text.length() > LONGEST) {
            return Optional.empty();
        }
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new TrialPointer(Long.parseLong(matcher.group(1)), scope(matcher)));
        } catch (IllegalArgumentException e) {
            // The text is badly encoded, or has more names than allowed.
            return Optional.empty();
        }
    }

    private static TrialScope scope(Matcher matcher) {
        if (matcher.group(2) != null) {
            return new TrialScope.Nodes(Integer.parseInt(matcher.group(2)));
        }
        String attribute = decoded(matcher.group(5));
        String key = matcher.group(6);
        CallerSplit split = matcher.group(3) != null
                ? CallerSplit.share(attribute, key, Integer.parseInt(matcher.group(3)))
                : CallerSplit.named(
                        attribute,
                        key,
                        Arrays.stream(matcher.group(4).split(",", -1))
                                .map(TrialPointer::decoded)
                                .collect(Collectors.toSet()));
        return new TrialScope.Callers(matcher.group(7) == null ? split : split.watching());
    }

    private static String decoded(String text) {
        String decoded = URLDecoder.decode(text, StandardCharsets.UTF_8);
        if (decoded.isEmpty() || decoded.contains(UNREADABLE)) {
            throw new IllegalArgumentException("value: empty or not UTF-8 (expected: text in UTF-8)");
        }
        return decoded;
    }

    /** Returns whether all nodes or callers of the smaller scope are also in this scope, and no other nodes or callers change sides. */
    public static boolean covers(TrialScope scope, TrialScope smaller) {
        if (scope instanceof TrialScope.Nodes now && smaller instanceof TrialScope.Nodes before) {
            return now.percent() >= before.percent();
        }
        if (scope instanceof TrialScope.Callers now && smaller instanceof TrialScope.Callers before) {
            return covers(now.split(), before.split());
        }
        return false;
    }

    private static boolean covers(CallerSplit split, CallerSplit smaller) {
        return split.attribute().equals(smaller.attribute())
                && split.key().equals(smaller.key())
                && split.named().isEmpty() == smaller.named().isEmpty()
                && split.sharePercent() >= smaller.sharePercent()
                && (!split.watched() || smaller.watched())
                && split.named().containsAll(smaller.named());
    }

    /** Returns the nodes or callers on trial as text for people: {@code 5 % by user}. Names of callers are not shown. */
    public String who() {
        if (scope instanceof TrialScope.Callers callers) {
            Set<String> named = callers.split().named();
            return (named.isEmpty() ? callers.split().sharePercent() + " %" : named.size() + " named") + " by "
                    + callers.split().attribute();
        }
        return ((TrialScope.Nodes) scope).percent() + " % of the nodes";
    }

    @Override
    public String toString() {
        if (scope instanceof TrialScope.Callers callers) {
            CallerSplit split = callers.split();
            String who = split.named().isEmpty()
                    ? " callers " + split.sharePercent()
                    : " named "
                            + split.named().stream().map(TrialPointer::encoded).collect(Collectors.joining(","));
            return version + who + " by " + encoded(split.attribute()) + " key " + split.key()
                    + (split.watched() ? " watch" : "");
        }
        return version + " share " + ((TrialScope.Nodes) scope).percent();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
