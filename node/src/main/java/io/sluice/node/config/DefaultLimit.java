package io.sluice.node.config;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.PrintableText;
import java.util.regex.Pattern;

/**
 * The limit of every address while a node has no rules. Each node counts in its own process, because the store may be unavailable for the
 * same reason as the rules.
 *
 * @param rate a rate as in rule documents, such as {@code 50/s}
 */
public record DefaultLimit(String rate) {

    /** The id of the limit's rule. */
    public static final String RULE = "default-limit";

    private static final Pattern FORM = Pattern.compile("[0-9]{1,15}(/[0-9]{0,6}[a-z]{1,2})?");

    public DefaultLimit {
        if (!FORM.matcher(rate).matches() || !(document(rate) instanceof RuleDocument.Accepted)) {
            throw new IllegalArgumentException("default limit: " + PrintableText.text(rate)
                    + " (expected: a rate such as 50/s, 5/m, 100/h or 1000/d)");
        }
    }

    /** Returns a set of one rule that applies to every request. */
    public RuleSet rules() {
        return new RuleSet(0, ((RuleDocument.Accepted) document(rate)).rules());
    }

    private static RuleDocument document(String rate) {
        return RuleDocument.parse(
                "default limit",
                "rules: [{ id: " + RULE + ", mode: local, limits: [{ by: ip, rate: '" + rate + "' }] }]");
    }
}
