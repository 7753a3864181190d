package io.sluice.center.identity;

import io.sluice.center.people.Account;
import io.sluice.center.signin.settings.LdapServer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.IncorrectResultSizeDataAccessException;
import org.springframework.ldap.NameNotFoundException;
import org.springframework.ldap.core.DirContextOperations;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.security.ldap.DefaultSpringSecurityContextSource;

/** The entries of people in a directory: their search, their names, and their locks. Immutable. */
final class LdapEntries {

    /** The attribute with the name that is shown to people. */
    static final String NAME_ATTRIBUTE = "cn";

    /** The attributes with which directories lock an entry. Servers return them only if they are requested by name. */
    private static final String[] LOCKS = {
        "pwdAccountLockedTime", "nsAccountLock", "loginDisabled", "userAccountControl"
    };

    /** The value with which OpenLDAP locks an entry until an administrator unlocks it. A time is a lock that ends by itself. */
    private static final String LOCKED_FOR_GOOD = "000001010000Z";

    /** The bit of Active Directory for a disabled account. */
    private static final int DISABLED = 2;

    private static final Pattern TYPED = Pattern.compile("\\(([A-Za-z][A-Za-z0-9-]*)=\\{0}\\)");
    private static final Pattern HEX = Pattern.compile("([0-9a-f]{2})+");
    private static final String BINARY_ID = "objectguid";

    private final LdapServer server;
    private final String[] attributes;

    LdapEntries(LdapServer server) {
        this.server = server;
        List<String> all = new ArrayList<>(List.of(LOCKS));
        all.addAll(List.of(
                NAME_ATTRIBUTE, server.users().emailAttribute(), server.users().idAttribute()));
        Matcher typed = TYPED.matcher(server.users().filter());
        if (typed.find()) {
            all.add(typed.group(1));
        }
        this.attributes = all.toArray(String[]::new);
    }

    /** Returns the attributes that are read from an entry. */
    String[] attributes() {
        return attributes.clone();
    }

    /**
     * Returns the entry of a typed name.
     *
     * @throws UsernameNotFoundException if there is no such entry
     */
    DirContextOperations named(DefaultSpringSecurityContextSource source, String name) {
        return search(source, server.users().base(), server.users().filter(), name);
    }

    /**
     * Returns the entry of an account, found by the attribute that never changes or else by its DN. The entry must still be one
     * that a typed name could find.
     *
     * @throws UsernameNotFoundException if there is no such entry
     */
    DirContextOperations of(DefaultSpringSecurityContextSource source, Account account) {
        String id = server.users().idAttribute();
        String subject = account.subject();
        boolean isBinary = id.toLowerCase(Locale.ROOT).equals(BINARY_ID)
                && HEX.matcher(subject).matches();
        String anyone = server.users()
                .filter()
                .replace(":={0}", "=*")
                .replace("{0}", "*")
                .replace("{1}", "*");
        try {
            return search(
                    source,
                    server.users().base(),
                    "(&(" + id + "=" + (isBinary ? subject.replaceAll("(..)", "\\\\$1") : "{0}") + ")" + anyone + ")",
                    subject);
        } catch (UsernameNotFoundException e) {
            if (!isName(subject)) {
                throw e;
            }
        }
        try {
            DirContextOperations entry = search(source, subject, anyone, subject);
            if (id(entry).isEmpty()) {
                return entry;
            }
        } catch (NameNotFoundException e) {
            // There is no entry with this DN, so the person is unknown.
        }
        throw UsernameNotFoundException.fromUsername(account.name());
    }

    private DirContextOperations search(
            DefaultSpringSecurityContextSource source, String base, String filter, String name) {
        List<DirContextOperations> found = new LdapSearch(source, base, filter).entries(List.of(name), attributes());
        if (found.isEmpty()) {
            throw UsernameNotFoundException.fromUsername(name);
        }
        if (found.size() > 1) {
            throw new IncorrectResultSizeDataAccessException(1, found.size());
        }
        return found.get(0);
    }

    private static boolean isName(String subject) {
        try {
            return new LdapName(subject).size() > 1;
        } catch (InvalidNameException e) {
            return false;
        }
    }

    /** Returns the identifier of an entry, which never changes; empty if the entry has no such attribute. */
    Optional<String> id(DirContextOperations entry) {
        @Nullable Object id = entry.getObjectAttribute(server.users().idAttribute());
        return Optional.ofNullable(id)
                .map(value -> value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value.toString());
    }

    /**
     * Returns the name that the filter compares with the typed name, in the spelling of the directory; empty if the filter names
     * no attribute.
     */
    Optional<String> name(DirContextOperations entry) {
        Matcher typed = TYPED.matcher(server.users().filter());
        return typed.find() ? text(entry, typed.group(1)) : Optional.empty();
    }

    /** Returns whether the directory has locked an entry until an administrator unlocks it. */
    static boolean isLocked(DirContextOperations entry) {
        return text(entry, "pwdAccountLockedTime")
                        .filter(LOCKED_FOR_GOOD::equals)
                        .isPresent()
                || isTrue(entry, "nsAccountLock")
                || isTrue(entry, "loginDisabled")
                || text(entry, "userAccountControl")
                        .filter(bits -> bits.matches("-?[0-9]{1,10}") && (Long.parseLong(bits) & DISABLED) != 0)
                        .isPresent();
    }

    private static boolean isTrue(DirContextOperations entry, String attribute) {
        return text(entry, attribute)
                .filter(value -> value.equalsIgnoreCase("true"))
                .isPresent();
    }

    static Optional<String> text(DirContextOperations entry, String attribute) {
        return entry.getObjectAttribute(attribute) instanceof String text ? Optional.of(text) : Optional.empty();
    }
}
