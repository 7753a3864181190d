package io.sluice.spring.method.plan;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/** A rule with a single limit that is written in an annotation, in the language of rule documents. */
public final class InlineRule {

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,18}");

    private final Map<String, String> rule = new LinkedHashMap<>();
    private final Map<String, String> limit = new LinkedHashMap<>();

    public InlineRule(String id) {
        rule.put("id", id);
    }

    /** Sets a field of the rule; an empty value keeps the default. */
    public InlineRule rule(String name, String value) {
        if (!value.isEmpty()) {
            rule.put(name, value);
        }
        return this;
    }

    /** Sets a field of the limit; an empty value keeps the default. */
    public InlineRule limit(String name, String value) {
        if (!value.isEmpty()) {
            limit.put(name, value);
        }
        return this;
    }

    boolean hasLimit() {
        return !limit.isEmpty();
    }

    /**
     * Returns the rule.
     *
     * @throws IllegalArgumentException if it has errors; the message lists all of them
     */
    public Rule read() {
        StringJoiner text = new StringJoiner(",", "{", "}");
        rule.forEach((name, value) -> text.add(member(name, value)));
        StringJoiner only = new StringJoiner(",", "{", "}");
        limit.forEach((name, value) -> only.add(member(name, value)));
        RuleDocument document = RuleDocument.parseRule(
                "annotation", text.add("\"limits\":[" + only + "]").toString());
        if (document instanceof RuleDocument.Accepted accepted) {
            return accepted.rules().get(0);
        }
        StringJoiner errors = new StringJoiner("; ");
        ((RuleDocument.Refused) document).errors().forEach(error -> errors.add(error.message()));
        throw new IllegalArgumentException(errors.toString());
    }

    private static String member(String name, String value) {
        return quoted(name) + ":" + (NUMBER.matcher(value).matches() ? value : quoted(value));
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
