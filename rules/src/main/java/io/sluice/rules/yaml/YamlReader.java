package io.sluice.rules.yaml;

import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Parses one YAML or JSON document into a tree. Hostile documents are refused quickly: more than 32 Mi characters, a {@link
 * TextVolume} that is too large, trees beyond {@link Bounds}, aliases that contain themselves, and type tags. {@link Fields}
 * finds duplicate keys.
 */
public final class YamlReader {

    /** The maximum number of characters in a document. */
    public static final int MOST_CHARACTERS = 32 * 1024 * 1024;

    private YamlReader() {}

    /**
     * Returns the root of the document. If the document is empty or cannot be parsed, returns empty and adds the reason to the
     * errors.
     */
    public static Optional<YamlValue> read(String file, String text, Errors errors) {
        return readAny(file, text, errors, null);
    }

    /** Parses a document with items. The handler does not receive every item; items that it did not receive are in the tree. */
    public static Optional<YamlValue> read(String file, String text, Errors errors, ItemHandler items) {
        return readAny(file, text, errors, items);
    }

    private static Optional<YamlValue> readAny(String file, String text, Errors errors, @Nullable ItemHandler items) {
        if (text.length() > MOST_CHARACTERS) {
            errors.add(
                    Place.START,
                    "characters: " + text.length() + " (expected: at most " + MOST_CHARACTERS + " in one document)");
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

    /**
     * Parses text that looks like JSON but may be YAML. If it is neither, reports the error that is further down in the
     * document.
     */
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
