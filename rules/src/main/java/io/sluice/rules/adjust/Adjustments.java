package io.sluice.rules.adjust;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.rules.yaml.PrintableText;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * All temporary changes on top of released rules. They apply to any version in force, expire by themselves, and are not part of
 * a version: a release neither adds nor removes them. Immutable.
 *
 * @param revision the number of the revision, which rises with each change; 0 if there was no change
 */
public record Adjustments(long revision, List<CallerOverride> overrides, List<ShadowSwitch> switches) {

    /** The maximum number of adjustments at a time. */
    public static final int MOST = 1_000;

    /** The maximum number of characters of the text. */
    public static final int MOST_CHARACTERS = 2 * 1024 * 1024;

    /** The highest number with fifteen digits. */
    public static final long HIGHEST_REVISION = 999_999_999_999_999L;

    public static final Adjustments NONE = new Adjustments(0, List.of(), List.of());

    private static final String ALL_RULES = "*";

    public Adjustments {
        overrides = List.copyOf(overrides);
        switches = List.copyOf(switches);
        if (revision < 0) {
            throw new IllegalArgumentException("revision: " + revision + " (expected: 0 or more)");
        }
        if (overrides.size() + switches.size() > MOST) {
            throw new IllegalArgumentException("adjustments: " + (overrides.size() + switches.size())
                    + " (expected: at most " + MOST + " at a time)");
        }
    }

    public boolean isEmpty() {
        return overrides.isEmpty() && switches.isEmpty();
    }

    /** Returns the text on one line. The same adjustments always give the same text. */
    public String toJson() {
        JsonLine line = new JsonLine().begin().field("revision", revision);
        line.list("overrides", overrides, override -> {
            line.field("id", override.id()).field("rule", override.rule()).field("limit", override.limit());
            if (override.caller() instanceof Caller.ByValue by) {
                line.field("attribute", by.attribute()).field("value", by.value());
            } else if (override.caller() instanceof Caller.ByHash by) {
                line.field("hash", by.hash());
            }
            line.field("numbers", override.numbers())
                    .field("until", override.until().toString());
        });
        line.list("switches", switches, each -> line.field("id", each.id())
                .field("rule", each.rule().orElse(ALL_RULES))
                .field("until", each.until().toString()));
        return line.end().toString();
    }

    /**
     * Reads the text.
     *
     * @throws IllegalArgumentException if it does not have this form
     */
    public static Adjustments parse(String text) {
        return read(JsonObject.parse(text, MOST_CHARACTERS));
    }

    /**
     * Reads the object in a message.
     *
     * @throws IllegalArgumentException if it does not have this form
     */
    public static Adjustments read(JsonObject fields) {
        return new Adjustments(
                fields.whole("revision", 0, HIGHEST_REVISION),
                fields.objects("overrides").stream().map(Adjustments::override).toList(),
                fields.objects("switches").stream()
                        .map(Adjustments::shadowSwitch)
                        .toList());
    }

    private static CallerOverride override(JsonObject fields) {
        return new CallerOverride(
                fields.text("id"),
                fields.text("rule"),
                fields.text("limit"),
                fields.has("hash")
                        ? new Caller.ByHash(fields.text("hash"))
                        : new Caller.ByValue(fields.text("attribute"), fields.text("value")),
                fields.text("numbers"),
                until(fields));
    }

    private static ShadowSwitch shadowSwitch(JsonObject fields) {
        return new ShadowSwitch(
                fields.text("id"),
                Optional.of(fields.text("rule")).filter(rule -> !rule.equals(ALL_RULES)),
                until(fields));
    }

    private static Instant until(JsonObject fields) {
        String text = fields.text("until");
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "until: " + PrintableText.text(text) + " (expected: a time such as 2027-01-01T00:00:00Z)", e);
        }
    }
}
