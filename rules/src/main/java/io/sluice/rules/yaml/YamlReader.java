package io.sluice.rules.yaml;

import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.Optional;

/**
 * Reads one YAML or JSON document into a tree. Hostile documents are refused: more than 32 million characters, trees beyond
 * {@link Bounds}, aliases into themselves, type tags. Keys that repeat are found by {@link Fields}.
 */
public final class YamlReader {

    /** The most characters of a document. */
    public static final int MOST_CHARACTERS = 32 * 1024 * 1024;

    private YamlReader() {}

    /** The document's root; empty, and the errors say why, if it has none or cannot be read. */
    public static Optional<YamlValue> read(String file, String text, Errors errors) {
        if (text.length() > MOST_CHARACTERS) {
            errors.add(
                    Place.START,
                    "characters: " + text.length() + " (expected: at most " + MOST_CHARACTERS + " in a document)");
            return Optional.empty();
        }
        try {
            Optional<YamlValue> root =
                    JsonTree.mayRead(text) ? Optional.of(jsonOrYaml(file, text)) : YamlTree.read(file, text);
            if (root.filter(value -> !(value instanceof YamlScalar word) || !word.isNull())
                    .isEmpty()) {
                errors.add(Place.START, "document: empty (expected: YAML or JSON)");
                return Optional.empty();
            }
            return root;
        } catch (Refusal e) {
            e.addTo(errors);
            return Optional.empty();
        }
    }

    /** What begins like JSON may be YAML all the same; if it is neither, whoever understood more of it is right. */
    private static YamlValue jsonOrYaml(String file, String text) {
        try {
            return JsonTree.read(text);
        } catch (Refusal json) {
            if (json.isOutOfBounds()) {
                throw json;
            }
            try {
                return YamlTree.read(file, text).orElseThrow(() -> json);
            } catch (Refusal yaml) {
                throw yaml.isAfter(json) ? yaml : json;
            }
        }
    }
}
