package io.sluice.rules.document;

import io.sluice.rules.model.Message;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the part of a rule that describes it: name, tenant, message, labels and whether it is protected. */
final class DescriptionReader {

    static final int LONGEST_NAME = 256;
    static final int LONGEST_MESSAGE = 1_000;
    static final int LONGEST_LABEL = 64;
    static final int MOST_LABELS = 64;

    private static final Set<String> KEYS = Set.of("name", "tenant", "protected", "message", "labels");

    private final Errors errors;

    DescriptionReader(Errors errors) {
        this.errors = errors;
    }

    RuleDescription read(Fields fields) {
        return fields.hasAny(KEYS) ? given(fields) : RuleDescription.NOTHING;
    }

    private RuleDescription given(Fields fields) {
        RuleDescription read = new RuleDescription(
                plain(fields, "name", LONGEST_NAME),
                plain(fields, "tenant", LONGEST_NAME),
                fields.flag("protected").orElse(false),
                message(fields),
                labels(fields));
        return read.equals(RuleDescription.NOTHING) ? RuleDescription.NOTHING : read;
    }

    /** Reads text that is safe to display as it is: not blank, at most {@code longest} characters, no control characters. */
    static Optional<String> plain(Fields fields, String key, int longest) {
        if (!fields.has(key)) {
            return Optional.empty();
        }
        return fields.read(key, text -> {
            if (!isPlain(text, longest)) {
                throw Quantities.refused(key, text, "1 to " + longest + " printable characters");
            }
            return text;
        });
    }

    private static boolean isPlain(String text, int longest) {
        if (text.isBlank() || text.length() > longest) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private Optional<Message> message(Fields fields) {
        if (!(fields.value("message").orElse(null) instanceof YamlMap)) {
            return plain(fields, "message", LONGEST_MESSAGE).map(Message::of);
        }
        Map<String, String> texts = new LinkedHashMap<>();
        fields.fields("message", Message.LANGUAGES).ifPresent(languages -> {
            for (String language : Message.LANGUAGES) {
                plain(languages, language, LONGEST_MESSAGE).ifPresent(text -> texts.put(language, text));
            }
            if (Message.LANGUAGES.stream().noneMatch(languages::has)) {
                fields.error("message", "message: empty (expected: a text, or a mapping with texts for en and zh)");
            }
        });
        return texts.isEmpty() ? Optional.empty() : Optional.of(new Message(texts));
    }

    private Map<String, String> labels(Fields fields) {
        Map<String, String> labels = new LinkedHashMap<>();
        fields.entries("labels").ifPresent(entries -> {
            if (entries.size() > MOST_LABELS) {
                fields.error("labels", "labels: " + entries.size() + " labels (expected: at most " + MOST_LABELS + ")");
            }
            entries.forEach((name, value) -> label(name, value, labels));
        });
        return labels;
    }

    private void label(YamlScalar name, YamlValue value, Map<String, String> labels) {
        if (!isPlain(name.text(), LONGEST_LABEL)) {
            errors.add(
                    name.place(),
                    "labels: " + name.shown() + " (expected: 1 to " + LONGEST_LABEL + " printable characters)");
        } else if (!(value instanceof YamlScalar text) || text.isNull() || !isPlain(text.text(), LONGEST_NAME)) {
            errors.add(
                    value.place(),
                    "labels: " + value.shown() + " (expected: 1 to " + LONGEST_NAME + " printable characters)");
        } else {
            labels.put(name.text(), text.text());
        }
    }
}
