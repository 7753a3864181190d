package io.sluice.rules.yaml;

import java.util.List;

/** A value in a document, with its place. Immutable. */
public sealed interface YamlValue {

    Place place();

    /** Returns the value as error messages show it: short, on one line. */
    String shown();

    /**
     * A single word, number or text.
     *
     * @param text as written, without quotes
     * @param quoted whether it was in quotes or a block, so that it can only be text
     */
    record YamlScalar(Place place, String text, boolean quoted) implements YamlValue {

        public boolean isNull() {
            return !quoted && (text.isEmpty() || text.equals("~") || text.equals("null"));
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
