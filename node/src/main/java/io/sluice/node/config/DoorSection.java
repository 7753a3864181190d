package io.sluice.node.config;

import io.sluice.rules.yaml.DocumentError;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The section of a door in {@code doors} of the configuration file. The door reads it, because only the door knows its keys. Two sections
 * are equal if they have the same keys and values, also at other places of the file. Immutable.
 */
public final class DoorSection {

    private final Path file;
    private final String name;
    private final YamlValue value;

    DoorSection(Path file, String name, YamlValue value) {
        this.file = file;
        this.name = name;
        this.value = value;
    }

    /**
     * Reads the section.
     *
     * @param known every legal key
     * @param reader reads the fields; it reports errors there and returns any value then
     * @throws StartFailedException with all errors and their lines
     */
    public <T> T read(Collection<String> known, Function<Fields, T> reader) throws StartFailedException {
        Errors errors = new Errors(file.toString());
        Optional<T> read = errors.within(() ->
                Fields.of("doors." + name, value, known, errors).map(reader).orElse(null));
        if (!errors.isEmpty() || read.isEmpty()) {
            List<String> lines =
                    errors.list().stream().map(DocumentError::toString).toList();
            throw new StartFailedException(
                    "config: " + lines.size() + (lines.size() == 1 ? " error" : " errors") + " (expected: none)",
                    lines);
        }
        return read.get();
    }

    /** Returns a path of the section, resolved against the directory of the file. */
    public Path beside(String path) {
        return file.toAbsolutePath().resolveSibling(path).normalize();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DoorSection section && text(value).equals(text(section.value));
    }

    @Override
    public int hashCode() {
        return text(value).hashCode();
    }

    /** Returns the section without its places. */
    @Override
    public String toString() {
        return name + ": " + text(value);
    }

    private static String text(YamlValue value) {
        if (value instanceof YamlScalar scalar) {
            return scalar.quoted() ? '"' + scalar.text() + '"' : scalar.text();
        }
        if (value instanceof YamlList list) {
            return list.items().stream().map(DoorSection::text).toList().toString();
        }
        return ((YamlMap) value)
                .entries().stream()
                        .map(each -> text(each.key()) + ": " + text(each.value()))
                        .toList()
                        .toString();
    }
}
