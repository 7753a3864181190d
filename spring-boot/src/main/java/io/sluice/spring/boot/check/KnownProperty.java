package io.sluice.spring.boot.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * A property that Sluice reads.
 *
 * @param elements the parts of its name, with dashes; {@link #ANY} stands for the key of a map
 * @param shape the elements that may follow the name
 */
record KnownProperty(List<String> elements, Shape shape) {

    /** Any key of a map. */
    static final String ANY = "*";

    enum Shape {
        /** No element may follow. */
        VALUE,
        /** The index of an item may follow. */
        LIST,
        /** Any elements may follow. */
        TREE
    }

    KnownProperty {
        elements = List.copyOf(elements);
    }

    /**
     * Returns whether this is the property of this name, or below it, in any spelling that Spring Boot accepts. A group of
     * properties that is written without properties, such as {@code web:} in a file, has a value.
     */
    boolean isNamed(ConfigurationPropertyName name) {
        int more = name.getNumberOfElements() - elements.size();
        for (int i = 0; i < Math.min(elements.size(), name.getNumberOfElements()); i++) {
            if (!elements.get(i).equals(ANY) && !uniform(elements.get(i)).equals(name.getElement(i, Form.UNIFORM))) {
                return false;
            }
        }
        return switch (shape) {
            case VALUE -> more <= 0;
            case LIST -> more <= 0 || (more == 1 && name.isLastElementIndexed());
            case TREE -> true;
        };
    }

    /**
     * Returns whether an environment variable can set the property. The name of a variable does not show where its elements
     * end.
     */
    boolean isSetBy(String variable) {
        StringBuilder pattern = new StringBuilder();
        elements.forEach(element -> pattern.append(element.equals(ANY) ? ".+" : uniform(element)));
        pattern.append(
                switch (shape) {
                    case VALUE -> "";
                    case LIST -> "[0-9]*";
                    case TREE -> ".*";
                });
        return Pattern.matches(pattern.toString(), uniform(variable));
    }

    /** Returns whether an environment variable names a group that this property belongs to. */
    boolean isWithin(String variable) {
        StringBuilder group = new StringBuilder();
        int members = shape == Shape.TREE ? elements.size() : elements.size() - 1;
        for (String element : elements.subList(0, members)) {
            group.append(uniform(element));
            if (group.toString().equals(uniform(variable))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the environment variable that sets the property. */
    String variable() {
        return String.join("_", elements).replace("-", "").toUpperCase(Locale.ROOT);
    }

    /** Returns the name of this property, with the keys of maps taken from another name. */
    String nameLike(ConfigurationPropertyName other) {
        List<String> named = new ArrayList<>(elements);
        for (int i = 0; i < named.size() && i < other.getNumberOfElements(); i++) {
            if (named.get(i).equals(ANY)) {
                named.set(i, other.getElement(i, Form.ORIGINAL));
            }
        }
        return String.join(".", named);
    }

    private static String uniform(String text) {
        StringBuilder uniform = new StringBuilder();
        text.chars().filter(Character::isLetterOrDigit).forEach(c -> uniform.append((char) Character.toLowerCase(c)));
        return uniform.toString();
    }
}
