package io.sluice.center.settings;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A directory that checks the passwords of people over LDAP. Immutable.
 *
 * @param name the origin of its accounts
 * @param url such as {@code ldaps://ldap.example}
 * @param startTls whether a plain connection is encrypted before anything is sent
 * @param ca a PEM file with the authorities that it needs a certificate of; without one those that Java trusts
 * @param bind the account that searches; without one the search is anonymous
 * @param users where people are
 * @param groups where groups are
 */
public record LdapServer(
        String name,
        URI url,
        boolean startTls,
        Optional<Path> ca,
        Optional<Bind> bind,
        Users users,
        Groups groups,
        List<MappedRole> roles) {

    /** The account that searches. */
    public record Bind(String dn, Path passwordFile) {}

    /**
     * How people are found.
     *
     * @param filter such as {@code (uid={0})}, where {@code {0}} stands for the name that was typed
     * @param idAttribute what never changes about an entry; an entry without it is known by its DN
     */
    public record Users(String base, String filter, String emailAttribute, String idAttribute) {

        /** Finds people by their uid. */
        public static Users under(String base) {
            return new Users(base, "(uid={0})", "mail", "entryUUID");
        }
    }

    /**
     * How the groups of a person are found.
     *
     * @param filter such as {@code (member={0})}, where {@code {0}} stands for the DN and {@code {1}} for the typed name
     * @param attribute the name of a group
     * @param isNested whether the groups of a group count too
     */
    public record Groups(String base, String filter, String attribute, boolean isNested) {

        /** Finds groups by the DN of their members. */
        public static Groups under(String base) {
            return new Groups(base, "(member={0})", "cn", false);
        }
    }

    public LdapServer {
        ServerNames.require(name);
        roles = List.copyOf(roles);
    }
}
