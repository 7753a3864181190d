package io.sluice.http.answer;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The languages of refusal texts.
 *
 * <p>Parses {@code Accept-Language} itself, because {@link Locale.LanguageRange#parse} refuses the whole header for one bad
 * member.
 */
public enum AnswerLanguage {
    EN("en"),
    ZH("zh");

    /** The number of header members that are read; further members are ignored. */
    private static final int MOST_MEMBERS = 32;

    private final String code;

    AnswerLanguage(String code) {
        this.code = code;
    }

    /** Returns the code as {@link io.sluice.rules.model.Message} spells it. */
    public String code() {
        return code;
    }

    /**
     * Returns the language that an {@code Accept-Language} header prefers, by weight and then by order, or English if it names
     * neither. Never throws, for any header.
     */
    public static AnswerLanguage of(@Nullable String acceptLanguage) {
        if (acceptLanguage == null || acceptLanguage.isEmpty()) {
            return EN;
        }
        AnswerLanguage best = EN;
        double bestWeight = 0;
        String[] members = acceptLanguage.split(",", MOST_MEMBERS + 1);
        for (int i = 0; i < Math.min(members.length, MOST_MEMBERS); i++) {
            String[] parts = members[i].split(";", 3);
            String range = parts[0].trim().toLowerCase(Locale.ROOT);
            AnswerLanguage language = matching(range);
            double weight = language == null ? 0 : weight(parts);
            if (language != null && weight > bestWeight) {
                best = language;
                bestWeight = weight;
            }
        }
        return best;
    }

    private static @Nullable AnswerLanguage matching(String range) {
        if (range.equals("*")) {
            return EN;
        }
        for (AnswerLanguage language : values()) {
            if (range.equals(language.code()) || range.startsWith(language.code() + "-")) {
                return language;
            }
        }
        return null;
    }

    /** Returns the weight of a member: 1 if none is given, 0 if it cannot be read. */
    private static double weight(String[] parts) {
        String weight = parts.length < 2 ? "q=1" : parts[1].trim().toLowerCase(Locale.ROOT);
        if (!weight.matches("q=(0(\\.\\d{0,3})?|1(\\.0{0,3})?)")) {
            return 0;
        }
        return Double.parseDouble(weight.substring(2));
    }
}
