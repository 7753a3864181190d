package io.sluice.center.signin.settings;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A directory that checks the passwords of people over LDAP. Immutable.
 *
 * @param name the origin of the accounts of this directory
 * @param url such as {@code ldaps://ldap.example}
 * @param startTls whether a plain connection is encrypted before anything is sent
 * @param ca a PEM file with the authorities that may issue the server's certificate; without it, those that Java trusts
 * @param bind the account that searches; without it, the search is anonymous
 * @param users the search for people
 * @param groups the search for groups
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
     * The search for people.
     *
     * @param filter such as {@code (uid={0})}, where {@code {0}} stands for the name that was typed
     * @param idAttribute an attribute of an entry that never changes; an entry without it is identified by its DN
     */
    public record Users(String base, String filter, String emailAttribute, String idAttribute) {

        /** Finds people by their uid. */
        public static Users under(String base) {
            return new Users(base, "(uid={0})", "mail", "entryUUID");
        }
    }

    /**
     * The search for the groups of a person.
     *
     * @param filter such as {@code (member={0})}, where {@code {0}} stands for the DN and {@code {1}} for the typed name
     * @param attribute the attribute with the name of a group
     * @param isNested whether the groups of a group also count
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
