package io.sluice.rules.yaml;

import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads one YAML or JSON document into a tree. Hostile documents are refused, and quickly: more than 32 million characters, a
 * {@link TextVolume} that is too large, trees beyond {@link Bounds}, aliases into themselves, type tags. Keys that repeat are found by {@link Fields}.
 */
public final class YamlReader {

    /** The most characters of a document. */
    public static final int MOST_CHARACTERS = 32 * 1024 * 1024;

    private YamlReader() {}

    /** The document's root; empty, and the errors say why, if it has none or cannot be read. */
    public static Optional<YamlValue> read(String file, String text, Errors errors) {
        return readAny(file, text, errors, null);
    }

    /** The same, of a document with items. Not all are taken, and those which are not are in the tree. */
    public static Optional<YamlValue> read(String file, String text, Errors errors, ItemHandler items) {
        return readAny(file, text, errors, items);
    }

    private static Optional<YamlValue> readAny(String file, String text, Errors errors, @Nullable ItemHandler items) {
        if (text.length() > MOST_CHARACTERS) {
            errors.add(
                    Place.START,
                    "characters: " + text.length() + " (expected: at most " + MOST_CHARACTERS + " in a document)");
            return Optional.empty();
        }
        try {
            TextVolume volume = TextVolume.checked(text);
            Optional<YamlValue> root = JsonTree.mayRead(text)
                    ? Optional.of(jsonOrYaml(file, text, items, volume))
                    : yaml(file, text, items, volume);
            if (root.filter(value -> !(value instanceof YamlScalar word) || !word.isNull())
                    .isEmpty()) {
                errors.add(Place.START, "document: empty (expected: YAML or JSON)");
                return Optional.empty();
            }
            return root;
        } catch (UnreadableDocument e) {
            e.addTo(errors);
            return Optional.empty();
        }
    }

    /** What begins like JSON may be YAML all the same; if it is neither, whoever understood more of it is right. */
    private static YamlValue jsonOrYaml(String file, String text, @Nullable ItemHandler items, TextVolume volume) {
        try {
            return JsonTree.read(text);
        } catch (UnreadableDocument json) {
            if (json.isOutOfBounds()) {
                throw json;
            }
            try {
                return yaml(file, text, items, volume).orElseThrow(() -> json);
            } catch (UnreadableDocument yaml) {
                throw yaml.isAfter(json) ? yaml : json;
            }
        }
    }

    private static Optional<YamlValue> yaml(String file, String text, @Nullable ItemHandler items, TextVolume volume) {
        volume.checkForYaml();
        return YamlTree.read(file, text, items);
    }
}
