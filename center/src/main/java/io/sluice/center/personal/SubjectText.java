package io.sluice.center.personal;

import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import io.sluice.runtime.erasure.Subject;
import java.lang.Character.UnicodeScript;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Finds a subject in stored texts. Immutable.
 *
 * <p>A text names a subject if it equals the value or contains the value as a whole word: the value {@code u-17} is in "case of
 * u-17", not in "case of u-171". A value of one or two characters is found only as a whole text or as a whole string of JSON,
 * because as a word it occurs in very many texts. Scripts that are written without spaces have no whole words, so every
 * occurrence in them counts.
 */
public final class SubjectText {

    /** Shorter values are not searched as words. */
    private static final int SHORTEST_WORD = 3;

    private static final String ADDRESS = "ip";
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Set<UnicodeScript> WITHOUT_SPACES = EnumSet.of(
            UnicodeScript.HAN,
            UnicodeScript.HIRAGANA,
            UnicodeScript.KATAKANA,
            UnicodeScript.THAI,
            UnicodeScript.LAO,
            UnicodeScript.KHMER,
            UnicodeScript.MYANMAR);

    private final String attribute;
    private final String value;

    /** The spellings to search for. */
    private final Set<String> spellings = new LinkedHashSet<>();

    public SubjectText(Subject subject) {
        this.attribute = Attributes.normalisedName(subject.attribute());
        this.value = canonical(attribute, subject.value());
        spellings.add(subject.value());
        spellings.add(value);
    }

    /** Returns the canonical spelling of a value, because addresses have several spellings. */
    public static String canonical(String attribute, String value) {
        if (!Attributes.normalisedName(attribute).equals(ADDRESS)) {
            return value;
        }
        boolean isWhole = (value.endsWith("/32") && !value.contains(":")) || value.endsWith("/128");
        String address = isWhole ? value.substring(0, value.lastIndexOf('/')) : value;
        return Address.parse(address).map(Address::toString).orElse(value);
    }

    /** Returns whether a value of an attribute belongs to the subject. */
    public boolean isCaller(String otherAttribute, String otherValue) {
        return attribute.equals(Attributes.normalisedName(otherAttribute))
                && value.equals(canonical(attribute, otherValue));
    }

    /** Returns whether a text names the subject. */
    public boolean isIn(String text) {
        return spellings.stream().anyMatch(spelling -> isIn(text, spelling))
                || (attribute.equals(ADDRESS) && canonical(ADDRESS, text).equals(value));
    }

    /**
     * Returns whether a string of a JSON text names the subject. Numbers and names of fields are ignored: no value of a caller is
     * stored as one, and a value such as {@code title} would match every text of a kind.
     */
    public boolean isInJson(String json) {
        if (json.isEmpty() || (hasOneSpelling() && !json.contains(value))) {
            return false;
        }
        try {
            return isIn(JSON.readTree(json));
        } catch (JacksonException e) {
            return isIn(json);
        }
    }

    private boolean isIn(JsonNode node) {
        if (node.isString()) {
            return isIn(node.asString());
        }
        for (JsonNode child : node) {
            if (isIn(child)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isIn(String text, String spelling) {
        if (text.equals(spelling)) {
            return true;
        }
        if (spelling.codePointCount(0, spelling.length()) < SHORTEST_WORD) {
            return false;
        }
        for (int at = text.indexOf(spelling); at >= 0; at = text.indexOf(spelling, at + 1)) {
            if (isEdge(text, at) && isEdge(text, at + spelling.length())) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a word may start or end here. */
    private static boolean isEdge(String text, int at) {
        return at == 0 || at == text.length() || !isWord(text.codePointBefore(at)) || !isWord(text.codePointAt(at));
    }

    private static boolean isWord(int point) {
        return (Character.isLetterOrDigit(point) || point == '_') && !WITHOUT_SPACES.contains(UnicodeScript.of(point));
    }

    /** Returns whether JSON has only one way to write the value. If so, most texts need not be parsed. */
    private boolean hasOneSpelling() {
        return !attribute.equals(ADDRESS)
                && value.chars().allMatch(c -> c < 0x7f && (Character.isLetterOrDigit(c) || " -_.@:".indexOf(c) >= 0));
    }

    /** Omits the value, so that it does not reach a log by accident. */
    @Override
    public String toString() {
        return "SubjectText[" + attribute + "]";
    }
}
