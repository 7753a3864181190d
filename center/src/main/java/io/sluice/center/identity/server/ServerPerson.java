package io.sluice.center.identity.server;

import io.sluice.center.access.Grant;
import io.sluice.center.people.Names;
import io.sluice.center.people.Secrets;
import io.sluice.center.refusal.RefusedException;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A person whom an identity server vouches for. Immutable.
 *
 * @param origin the configured name of the server
 * @param subject the identifier of the person at the server, which never changes
 * @param authority the server in the identity of a person without an e-mail address
 * @param name the requested name of an account, in any form
 * @param email the e-mail address if the server vouches for it; may be empty
 * @param grants the present grants of the person's groups
 * @param evidence the expected groups and the received groups, masked, for people without a role
 */
public record ServerPerson(
        String origin,
        String subject,
        String authority,
        String name,
        String displayName,
        String email,
        List<Grant> grants,
        String evidence) {

    /** The widths of columns. */
    private static final int LONGEST_IDENTITY = 200;

    private static final int LONGEST_DISPLAY_NAME = 200;

    /** Spaces of any kind, ends of lines and paragraphs, and control characters. */
    private static final Pattern SEPARATORS = Pattern.compile("[\\p{Z}\\p{Cc}\\s]+");

    /** Formatting characters, halves of characters, and fillers that fonts display as nothing. */
    private static final Pattern INVISIBLE = Pattern.compile(
            "[\\p{Cf}\\p{Cn}\\p{Co}\\p{Cs}\\uFFFC\\u115F\\u1160\\u3164\\uFFA0\\u2800\\u034F\\p{InVARIATION_SELECTORS}]");

    /** Half of a character. A database stores it as a question mark, so two different subjects would become equal. */
    private static final Pattern HALF = Pattern.compile("\\p{Cs}");

    private static final int LONGEST_SUBJECT = 300;
    private static final int LONGEST_NAME = 50;

    public ServerPerson {
        if (subject.isEmpty() || subject.length() > LONGEST_SUBJECT) {
            throw new IllegalArgumentException(
                    "subject: of " + subject.length() + " characters (expected: 1 to " + LONGEST_SUBJECT + ")");
        }
        if (HALF.matcher(subject).find()) {
            throw new IllegalArgumentException("subject: with half of a character (expected: whole characters)");
        }
        name = usable(name);
        displayName = shortened(visible(displayName), LONGEST_DISPLAY_NAME);
        displayName = displayName.isEmpty() ? name : displayName;
        email = address(email);
        grants = grants.stream().distinct().toList();
    }

    /** Returns the identity of the person. An e-mail address means the same person at each server and with a local account. */
    public String identity() {
        if (!email.isEmpty()) {
            return email;
        }
        String whole = authority + "#" + subject;
        return whole.length() <= LONGEST_IDENTITY ? whole : Secrets.hash(whole);
    }

    /**
     * Returns a text without invisible characters. These reverse the order of the following characters, start new lines, or make
     * two names look the same.
     */
    public static String visible(String text) {
        return SEPARATORS
                .matcher(INVISIBLE.matcher(text).replaceAll(""))
                .replaceAll(" ")
                .strip();
    }

    private static String address(String email) {
        try {
            return Names.email(email);
        } catch (RefusedException e) {
            return "";
        }
    }

    private static String usable(String name) {
        String usable = Normalizer.normalize(name, Normalizer.Form.NFKC)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9._@+-]+", "-")
                .replaceFirst("^[^a-z0-9]+", "");
        return usable.isEmpty() ? "user" : shortened(usable, LONGEST_NAME);
    }

    private static String shortened(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest);
    }
}
