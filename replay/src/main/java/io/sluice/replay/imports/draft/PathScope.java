package io.sluice.replay.imports.draft;

import io.sluice.rules.yaml.PrintableText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The paths that a rule is for, collected from the original. One pattern with segments becomes the rule's {@code resource}; all
 * others become patterns of {@code match.path}, which can express any prefix exactly. Not thread-safe.
 */
public final class PathScope {

    private final Set<String> globs = new LinkedHashSet<>();
    private final List<String> segments = new ArrayList<>();
    private final List<String> unsaid = new ArrayList<>();
    private boolean everything;

    /** Adds one path. */
    public PathScope exact(String path) {
        globs.add(SimpleRegex.literal(path));
        return this;
    }

    /** Adds all paths that begin with this text. */
    public PathScope prefix(String prefix) {
        everything |= prefix.isEmpty() || prefix.equals("/");
        globs.add(SimpleRegex.literal(prefix) + "*");
        return this;
    }

    /** Adds a pattern in which a star stands for any run of characters. */
    public PathScope stars(String pattern) {
        everything |= pattern.equals("/*") || pattern.equals("*");
        globs.add(pattern.replace("\\", "\\\\").replace("?", "\\?"));
        return this;
    }

    /** Adds a pattern of segments, such as {@code /users/{id}/**}. */
    public PathScope segments(String pattern) {
        if (pattern.equals("/**") || pattern.equals("**")) {
            everything = true;
        } else if (pattern.contains("{") || pattern.contains("*") || pattern.contains("?")) {
            segments.add(pattern);
        } else {
            exact(pattern);
        }
        return this;
    }

    /** Adds the paths that a regular expression matches. */
    public PathScope regex(String regex, boolean whole) {
        SimpleRegex.patterns(regex, whole)
                .ifPresentOrElse(
                        found -> found.forEach(pattern -> {
                            everything |= pattern.equals("*") || pattern.equals("/*");
                            globs.add(pattern);
                        }),
                        () -> unsaid.add(regex));
        return this;
    }

    public boolean isEmpty() {
        return globs.isEmpty() && segments.isEmpty() && unsaid.isEmpty() && !everything;
    }

    /** Returns all patterns for messages. */
    @Override
    public String toString() {
        List<String> all = new ArrayList<>(globs);
        all.addAll(segments);
        all.addAll(unsaid);
        return PrintableText.text(String.join(", ", all));
    }

    /** Sets the scope of a rule. If the scope cannot be expressed, the rule only observes, with a warning. */
    public void applyTo(RuleDraft rule) {
        if (!unsaid.isEmpty()) {
            rule.shadow()
                    .warn("path: the regular expression "
                            + PrintableText.text(unsaid.get(0))
                            + " cannot be said by a rule; the rule is in shadow and counts more requests than the original:"
                            + " give it a resource, then remove shadow");
            return;
        }
        if (everything) {
            return;
        }
        if (segments.size() == 1 && globs.isEmpty()) {
            segment(rule, segments.get(0));
            return;
        }
        String only = globs.isEmpty() ? "" : globs.iterator().next();
        if (segments.isEmpty() && globs.size() == 1 && only.startsWith("/") && isPlain(only)) {
            rule.resource(only);
            return;
        }
        Set<String> all = new LinkedHashSet<>(globs);
        for (String pattern : segments) {
            boolean rest = pattern.endsWith("/**");
            String body = rest ? pattern.substring(0, pattern.length() - 3) : pattern;
            String glob = body.replaceAll("\\{[^}]*}", "*").replaceAll("\\*+", "*");
            all.add(glob);
            if (rest) {
                all.add(glob + "/*");
            }
            if (glob.contains("*")) {
                rule.warn("path: " + PrintableText.text(pattern)
                        + " is one of several paths, so its one-segment wildcard also matches several segments");
            }
        }
        if (!all.isEmpty()) {
            rule.match("path", List.copyOf(all));
        }
    }

    private static boolean isPlain(String pattern) {
        return pattern.chars().noneMatch(c -> "*?\\{}".indexOf(c) >= 0);
    }

    private static void segment(RuleDraft rule, String pattern) {
        boolean rest = pattern.endsWith("/**");
        String body = rest ? pattern.substring(0, pattern.length() - 3) : pattern;
        StringBuilder resource = new StringBuilder();
        boolean plain = true;
        int names = 0;
        for (String part : body.substring(body.startsWith("/") ? 1 : 0).split("/", -1)) {
            boolean variable = part.equals("*") || (part.startsWith("{") && part.endsWith("}"));
            plain &= variable || !(part.contains("*") || part.contains("?") || part.contains("{"));
            resource.append('/').append(variable ? "{p" + ++names + "}" : part);
        }
        if (plain) {
            rule.resource(resource + (rest ? "/**" : ""));
        } else {
            String glob = body.replaceAll("\\{[^}]*}", "*").replaceAll("\\*+", "*");
            rule.match("path", rest ? List.of(glob, glob + "/*") : List.of(glob));
            rule.warn("path: " + PrintableText.text(pattern)
                    + " has wildcards within a segment; here they also match a slash");
        }
    }
}
