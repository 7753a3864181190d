package io.sluice.replay.imports.spring;

import io.sluice.replay.imports.draft.DocumentDraft;
import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ForeignFormat;
import io.sluice.replay.imports.draft.ForeignTree;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Imported;
import io.sluice.replay.imports.draft.Section;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads {@code application.yml} and {@code application.properties} as one tree, in which keys are normalised as Spring compares
 * them.
 */
final class SpringFile {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^{}:]{1,200}:([^{}]{0,200})}");
    private static final int MOST_PROPERTIES = 100_000;

    private SpringFile() {}

    /** Converts the properties of a file. */
    interface Conversion {

        void convert(Section root, DocumentDraft draft);
    }

    static Imported convert(ForeignFile file, ForeignFormat format, Conversion conversion)
            throws ImportRefusedException {
        if (file.name().toLowerCase(Locale.ROOT).endsWith(".properties")) {
            return DocumentDraft.write(file.name(), format, draft -> {
                Errors errors = new Errors(file.name());
                errors.within(() -> {
                    YamlValue root = properties(file, errors).value();
                    draft.found(root);
                    convert(root, draft, errors, conversion);
                    return true;
                });
                if (!errors.isEmpty()) {
                    throw new ImportRefusedException(errors.list());
                }
            });
        }
        return ForeignTree.convert(file, format, (root, draft, errors) -> {
            SpringNode node = new SpringNode(root.place());
            node.add("", root, root.place());
            convert(node.value(), draft, errors, conversion);
        });
    }

    private static void convert(YamlValue root, DocumentDraft draft, Errors errors, Conversion conversion) {
        Section.relaxed(root, errors).ifPresent(section -> {
            section.path("spring", "config", "activate")
                    .flatMap(activate -> activate.text("on-profile"))
                    .ifPresent(profile -> draft.warn(
                            root.place(),
                            "profile: the rules below are for the profile " + PrintableText.text(profile)
                                    + "; rules have no profiles, keep those that you need"));
            conversion.convert(section, draft);
        });
    }

    /** Returns the value of a property with the defaults of its placeholders: {@code ${RATE:10}} is 10. */
    static String resolved(String text) {
        Matcher matcher = PLACEHOLDER.matcher(text);
        return matcher.find() ? matcher.replaceAll(found -> Matcher.quoteReplacement(found.group(1))) : text;
    }

    private static SpringNode properties(ForeignFile file, Errors errors) {
        SpringNode root = new SpringNode(Place.START);
        StringBuilder logical = new StringBuilder();
        int number = 0;
        int begun = 1;
        int count = 0;
        for (String line : file.text().split("\r?\n", -1)) {
            number++;
            String part = line.stripLeading();
            if (logical.isEmpty()) {
                begun = number;
                if (part.isEmpty() || part.startsWith("#") || part.startsWith("!")) {
                    continue;
                }
            }
            boolean continues = part.endsWith("\\") && !part.endsWith("\\\\");
            logical.append(continues ? part.substring(0, part.length() - 1) : part);
            if (!continues) {
                if (++count > MOST_PROPERTIES) {
                    errors.add(
                            new Place(begun, 1),
                            "properties: more than " + MOST_PROPERTIES + " (expected: at most that many)");
                    return root;
                }
                property(root, logical.toString(), new Place(begun, 1));
                logical.setLength(0);
            }
        }
        return root;
    }

    private static void property(SpringNode root, String line, Place place) {
        int end = 0;
        while (end < line.length() && "=: \t".indexOf(line.charAt(end)) < 0) {
            end += line.charAt(end) == '\\' ? 2 : 1;
        }
        String key = line.substring(0, Math.min(end, line.length())).replace("\\", "");
        String value = line.substring(Math.min(end, line.length())).replaceFirst("^[ \\t]*[=:]?[ \\t]*", "");
        root.put(key, new YamlScalar(place, value.replace("\\", ""), !value.isEmpty()));
    }
}
