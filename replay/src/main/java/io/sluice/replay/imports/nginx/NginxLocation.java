package io.sluice.replay.imports.nginx;

import io.sluice.rules.yaml.PrintableText;

/**
 * A {@code location}, and its precedence over other locations. nginx serves a request by the location with exactly its path. Otherwise it
 * looks for the longest prefix: if that is marked with {@code ^~}, it serves the request. Otherwise the first regular expression that
 * matches serves the request, and if none matches, the longest prefix does. Regular expressions are never run here, so two expressions may
 * seem to match the same requests although they do not.
 */
record NginxLocation(Directive directive) {

    private static final String META = "\\^$.[]|()?*+{}";

    boolean isRegex() {
        return modifier().startsWith("~");
    }

    /** Returns whether requests that match both may be served by the other location. */
    boolean losesTo(NginxLocation other) {
        if (other.directive.spot().equals(directive.spot()) || modifier().equals("=") || isNamed() || other.isNamed()) {
            return false;
        }
        return switch (other.modifier()) {
            case "=" -> isRegex() ? startMeets(other) : other.path().startsWith(path());
            case "~", "~*" -> isRegex() ? other.precedes(this) && startMeets(other) : !isFinal() && startMeets(other);
            default ->
                isRegex() ? other.isFinal() && startMeets(other) : other.path().startsWith(path());
        };
    }

    private boolean precedes(NginxLocation other) {
        int lines = Integer.compare(
                directive.spot().place().line(), other.directive.spot().place().line());
        return lines < 0
                || (lines == 0
                        && directive.spot().place().column()
                                < other.directive.spot().place().column());
    }

    /** Returns whether nginx tries no regular expression after this prefix. */
    private boolean isFinal() {
        return modifier().equals("^~");
    }

    /** Returns whether this is a named location, which serves internal redirects only. */
    private boolean isNamed() {
        return path().startsWith("@");
    }

    /** Returns whether a path can match the literal starts of both locations. */
    private boolean startMeets(NginxLocation other) {
        boolean anyCase = modifier().equals("~*") || other.modifier().equals("~*");
        String mine = start();
        String others = other.start();
        return mine.regionMatches(anyCase, 0, others, 0, Math.min(mine.length(), others.length()));
    }

    /** Returns the text that every matching path begins with. */
    private String start() {
        String path = path();
        if (!isRegex()) {
            return path;
        }
        if (!path.startsWith("^") || path.contains("|")) {
            return "";
        }
        int end = 1;
        while (end < path.length() && META.indexOf(path.charAt(end)) < 0) {
            end++;
        }
        // A quantifier belongs to the character before it.
        boolean optional = end > 1 && end < path.length() && "?*{".indexOf(path.charAt(end)) >= 0;
        return path.substring(1, optional ? end - 1 : end);
    }

    private String modifier() {
        return directive.arguments().size() > 1 ? directive.argument(0) : "";
    }

    private String path() {
        return directive.lastArgument();
    }

    @Override
    public String toString() {
        return "location " + PrintableText.text(String.join(" ", directive.arguments()));
    }
}
