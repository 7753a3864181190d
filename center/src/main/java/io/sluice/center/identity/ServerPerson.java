package io.sluice.center.identity;

import io.sluice.center.access.Grant;
import io.sluice.center.command.RefusedException;
import io.sluice.center.people.Names;
import io.sluice.center.people.Secrets;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;

/**
 * Somebody whom an identity server vouches for. Immutable.
 *
 * @param origin the configured name of the server
 * @param subject what never changes about the person at the server
 * @param authority the server in the identity of somebody without an e-mail address
 * @param name the wished name of an account, in any form
 * @param email only if the server vouches for it; may be empty
 * @param grants what the groups of the person allow now
 */
record ServerPerson(
        String origin,
        String subject,
        String authority,
        String name,
        String displayName,
        String email,
        List<Grant> grants) {

    /** The widths of columns. */
    private static final int LONGEST_IDENTITY = 200;

    private static final int LONGEST_DISPLAY_NAME = 200;
    private static final int LONGEST_SUBJECT = 300;
    private static final int LONGEST_NAME = 50;

    ServerPerson {
        if (subject.isEmpty() || subject.length() > LONGEST_SUBJECT) {
            throw new IllegalArgumentException(
                    "subject: of " + subject.length() + " characters (expected: 1 to " + LONGEST_SUBJECT + ")");
        }
        name = usable(name);
        displayName = shortened(displayName.replaceAll("\\p{Cntrl}", " ").strip(), LONGEST_DISPLAY_NAME);
        displayName = displayName.isEmpty() ? name : displayName;
        email = address(email);
        grants = grants.stream().distinct().toList();
    }

    /** Returns the person behind the account. An e-mail address is the same person at each server and with a local account. */
    String identity() {
        if (!email.isEmpty()) {
            return email;
        }
        String whole = authority + "#" + subject;
        return whole.length() <= LONGEST_IDENTITY ? whole : Secrets.hash(whole);
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
