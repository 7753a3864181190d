package io.sluice.rules.yaml;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A value in a document, with its place. Immutable. */
public sealed interface YamlValue {

    Place place();

    /** Returns the value as error messages show it: short, on one line. */
    String shown();

    /**
     * A single word, number or text.
     *
     * @param text the text as written, without quotes
     * @param quoted whether it was in quotes or a block, so that it can only be text
     */
    record YamlScalar(Place place, String text, boolean quoted) implements YamlValue {

        public boolean isNull() {
            return !quoted && (text.isEmpty() || text.equals("~") || text.equals("null"));
        }

        /** Returns the value that it stands for where a document may have any value: a text, a number, a flag or null. */
        public @Nullable Object plain() {
            if (quoted) {
                return text;
            }
            if (isNull()) {
                return null;
            }
            if (text.equals("true") || text.equals("false")) {
                return Boolean.valueOf(text);
            }
            OptionalLong whole = Digits.whole(text);
            if (whole.isPresent()) {
                return whole.getAsLong();
            }
            OptionalDouble decimal = Digits.decimal(text);
            return decimal.isPresent() && Double.isFinite(decimal.getAsDouble()) ? decimal.getAsDouble() : text;
        }

        @Override
        public String shown() {
            return isNull() ? "nothing" : PrintableText.text(text);
        }
    }

    record YamlList(Place place, List<YamlValue> items) implements YamlValue {

        public YamlList {
            items = List.copyOf(items);
        }

        @Override
        public String shown() {
            return "a list";
        }
    }

    record YamlMap(Place place, List<Entry> entries) implements YamlValue {

        public YamlMap {
            entries = List.copyOf(entries);
        }

        @Override
        public String shown() {
            return "a mapping";
        }
    }

    record Entry(YamlValue key, YamlValue value) {}
}
