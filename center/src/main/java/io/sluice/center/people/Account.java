package io.sluice.center.people;

import io.sluice.center.access.Access;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.command.Actor;
import io.sluice.center.command.RefusedException;
import java.util.List;

/**
 * Somebody who can sign in. Immutable.
 *
 * @param revision rises with each change
 * @param name unique, in lower case
 * @param identity the person behind it; all accounts and tokens of one person have the same
 * @param origin {@link #LOCAL}, or the name of the identity server that it comes from
 * @param subject its name at the identity server
 * @param password the hash of its password; empty if it has none
 * @param disabledAt milliseconds since the epoch; 0 while it can be used
 */
public record Account(
        long id,
        long revision,
        String name,
        String displayName,
        String email,
        String identity,
        String origin,
        String subject,
        String password,
        List<Grant> grants,
        long disabledAt,
        long createdAt,
        long changedAt) {

    /** The origin of accounts that are not from an identity server. */
    public static final String LOCAL = "local";

    public Account {
        grants = List.copyOf(grants);
    }

    /** Without the hash of the password. */
    @Override
    public String toString() {
        return "Account[" + id + ", " + name + ", " + origin + "]";
    }

    public boolean isDisabled() {
        return disabledAt != 0;
    }

    /** Returns whether it can be used and has all rights. */
    public boolean isEnabledAdministrator() {
        return !isDisabled() && grants.stream().anyMatch(grant -> grant.role() == Role.ADMINISTRATOR);
    }

    public Actor actor() {
        return new Actor("user:" + name, identity);
    }

    /** Returns what the person may do. */
    public Access access() {
        return Access.person(actor(), id, grants);
    }

    public Account withPassword(String hash) {
        return new Account(
                id,
                revision,
                name,
                displayName,
                email,
                identity,
                origin,
                subject,
                hash,
                grants,
                disabledAt,
                createdAt,
                changedAt);
    }

    /**
     * Returns the account with other names. The first e-mail address becomes the identity, which then stays: with another one the
     * person could approve her own changes. So an address can be replaced, but not taken away.
     */
    public Account named(String otherName, String otherEmail) {
        String address = Names.email(otherEmail);
        if (address.isEmpty() && !email.isEmpty()) {
            throw RefusedException.invalid(
                    "email: empty (expected: another address; an account that has one keeps one)");
        }
        return new Account(
                id,
                revision,
                name,
                otherName,
                address,
                email.isEmpty() && !address.isEmpty() ? address : identity,
                origin,
                subject,
                password,
                grants,
                disabledAt,
                createdAt,
                changedAt);
    }

    public Account withGrants(List<Grant> other) {
        return new Account(
                id,
                revision,
                name,
                displayName,
                email,
                identity,
                origin,
                subject,
                password,
                other,
                disabledAt,
                createdAt,
                changedAt);
    }

    public Account disabled(long at) {
        return new Account(
                id,
                revision,
                name,
                displayName,
                email,
                identity,
                origin,
                subject,
                password,
                grants,
                at,
                createdAt,
                changedAt);
    }
}
