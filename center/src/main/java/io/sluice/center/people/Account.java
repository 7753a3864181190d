package io.sluice.center.people;

import io.sluice.center.access.Access;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.command.Actor;
import io.sluice.center.refusal.RefusedException;
import java.util.List;

/**
 * An account of a person who can sign in. Immutable.
 *
 * @param revision rises with each change
 * @param name unique, in lower case
 * @param identity the person behind the account; all accounts and tokens of one person have the same identity
 * @param origin {@link #LOCAL}, or the name of the identity server of the account
 * @param subject the name of the account at the identity server
 * @param password the hash of the password; empty if the account has none
 * @param disabledAt milliseconds since the epoch; 0 while the account is enabled
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

    /** Returns the text without the hash of the password. */
    @Override
    public String toString() {
        return "Account[" + id + ", " + name + ", " + origin + "]";
    }

    public boolean isDisabled() {
        return disabledAt != 0;
    }

    /** Returns whether the account is enabled and has the role of an administrator. */
    public boolean isEnabledAdministrator() {
        return !isDisabled() && grants.stream().anyMatch(grant -> grant.role() == Role.ADMINISTRATOR);
    }

    public Actor actor() {
        return new Actor("user:" + name, identity);
    }

    /** Returns the rights of the account. */
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
     * Returns the account with another display name and e-mail address. The first e-mail address of an account becomes its identity and
     * never changes. With another identity, people could approve their own changes. An address can therefore be replaced, but not removed.
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
