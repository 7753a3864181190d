package io.sluice.rules.document;

import io.sluice.rules.document.RuleDocument.RulePlace;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The rule ids of all documents in one set, each with the place of its first use. Not thread-safe. */
final class RuleIds {

    private static final int LONGEST = 128;
    private static final String EXPECTED = " (expected: 1 to 128 letters, digits, '-', '_' or '.')";

    private final Map<String, RulePlace> met = new HashMap<>();

    /** Returns the places of the rules, by id. */
    Map<String, RulePlace> places() {
        return met;
    }

    /** Returns the id of a rule, or a placeholder if the rule has no valid id. */
    String of(Fields rule) {
        Optional<String> id = id(rule);
        if (id.isEmpty()) {
            return "missing";
        }
        RulePlace here = new RulePlace(rule.file(), rule.place("id"));
        RulePlace other = met.putIfAbsent(id.get(), here);
        if (other != null) {
            String where = other.file().equals(here.file()) ? "" : other.file() + ", ";
            String made = rule.has("id") ? "another id; " : "an explicit id instead of the one from the resource; ";
            rule.error(
                    rule.has("id") ? "id" : "resource",
                    "id: " + id.get() + " (expected: " + made + where + "line "
                            + other.place().line() + " has this one)");
        }
        return id.get();
    }

    /** Registers the id of a rule that was written in a dialect. */
    void claim(RuleDialect.Placed placed, Errors errors) {
        RulePlace here = new RulePlace(errors.file(), placed.place());
        RulePlace other = met.putIfAbsent(placed.rule().id(), here);
        if (other != null) {
            String where = other.file().equals(here.file()) ? "" : other.file() + ", ";
            errors.add(
                    placed.place(),
                    placed.shown() + ": defined twice (expected: once; " + where + "line "
                            + other.place().line() + " has it)");
        }
    }

    private static Optional<String> id(Fields rule) {
        if (!rule.has("id")) {
            if (FoundingShape.isMeant(rule) && rule.has("resource")) {
                return rule.text("resource")
                        .filter(text -> text.startsWith("/"))
                        .map(FoundingShape::id);
            }
            rule.error("id", "id: missing" + EXPECTED);
            return Optional.empty();
        }
        Optional<String> id = rule.text("id");
        if (id.isPresent() && !isLegal(id.get())) {
            rule.error("id", "id: " + PrintableText.text(id.get()) + EXPECTED);
            return Optional.empty();
        }
        return id;
    }

    static boolean isLegal(String id) {
        if (id.isEmpty() || id.length() > LONGEST) {
            return false;
        }
        for (int i = 0; i < id.length(); i++) {
            if (!isLegal(id.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLegal(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '_'
                || c == '.';
    }
}
