package io.sluice.node.config;

import io.sluice.node.gateway.config.ByteSizes;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.Spans;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The settings of a node's recording: the key {@code record}, a directory or a section. Flags take precedence. Immutable.
 */
public record RecordSection(
        Optional<Path> directory,
        Optional<Long> maxSize,
        Optional<Duration> maxAge,
        Optional<Long> maxTotal,
        Optional<Duration> keep,
        Set<String> plain) {

    /** No settings. */
    public static final RecordSection NONE = new RecordSection(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Set.of());

    private static final String RECORD = "record";
    private static final List<String> KEYS = List.of("dir", "max_size", "max_age", "max_total", "keep", "plain");

    public RecordSection {
        plain = Set.copyOf(plain);
    }

    static RecordSection of(Fields root, Function<String, Path> beside, Errors errors) {
        Optional<YamlValue> value = root.value(RECORD);
        if (value.isEmpty()) {
            return NONE;
        }
        if (value.get() instanceof YamlScalar) {
            return NONE.in(root.text(RECORD).map(beside));
        }
        return Fields.of(RECORD, value.get(), KEYS, errors)
                .map(fields -> of(fields, beside))
                .orElse(NONE);
    }

    private static RecordSection of(Fields fields, Function<String, Path> beside) {
        return new RecordSection(
                fields.text("dir").map(beside),
                fields.read("max_size", text -> size("max_size", text)),
                fields.read("max_age", text -> age("max_age", text)),
                fields.read("max_total", text -> total("max_total", text)),
                fields.read("keep", text -> keep("keep", text)),
                fields.words("plain").orElse(List.of()).stream()
                        .map(YamlScalar::text)
                        .collect(Collectors.toSet()));
    }

    /** Reads the size of two files. The exception has the complete message. */
    public static long size(String name, String text) {
        return ByteSizes.of(name, text, RecordingSettings.LEAST_SIZE, RecordingSettings.MOST_SIZE);
    }

    /** Reads the size of all files. */
    public static long total(String name, String text) {
        return ByteSizes.of(name, text, 2 * RecordingSettings.LEAST_SIZE, 2 * RecordingSettings.MOST_SIZE);
    }

    /** Reads the age of files at which the next files start. */
    public static Duration age(String name, String text) {
        return Spans.of(name, text, RecordingSettings.SHORTEST_AGE, RecordingSettings.LONGEST_AGE);
    }

    /** Reads the time for which files are kept. */
    public static Duration keep(String name, String text) {
        return Spans.of(name, text, RecordingSettings.SHORTEST_KEEP, RecordingSettings.LONGEST_KEEP);
    }

    private RecordSection in(Optional<Path> folder) {
        return new RecordSection(folder, maxSize, maxAge, maxTotal, keep, plain);
    }

    /**
     * Returns the settings of the recording, in which flags replace the values of this section; empty if no directory is named.
     *
     * @throws IllegalArgumentException if the sizes are inconsistent
     */
    public Optional<RecordingSettings> settings(
            Optional<Path> folder, Optional<Long> size, Optional<Duration> age, Optional<Long> total) {
        long ofTwo = size.or(() -> maxSize).orElse(RecordingSettings.USUAL_SIZE);
        return folder.or(() -> directory)
                .map(dir -> new RecordingSettings(
                        dir,
                        ofTwo,
                        age.or(() -> maxAge).orElse(RecordingSettings.USUAL_AGE),
                        total.or(() -> maxTotal).orElse(Math.max(2 * ofTwo, RecordingSettings.USUAL_TOTAL)),
                        keep.orElse(RecordingSettings.USUAL_KEEP),
                        plain));
    }
}
