package io.sluice.center.account;

import io.sluice.center.access.Access;
import io.sluice.center.access.Grant;
import io.sluice.center.access.GrantsJson;
import io.sluice.center.access.Right;
import io.sluice.center.command.Command;
import io.sluice.center.people.Account;
import io.sluice.center.people.Accounts;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Manages accounts. An administrator manages all accounts. A tenant administrator manages and sees only accounts whose roles are all within
 * the tenant. People cannot give rights that they do not have, change their own rights, or remove the last administrator.
 */
final class Users {

    private static final int MOST_ROLES = 50;
    private static final int LONGEST_TEXT = 200;

    private final People people;

    Users(People people) {
        this.people = people;
    }

    /** An account with the secret of a new one-time link. */
    record Linked(Account account, String secret) {

        @Override
        public String toString() {
            return "Linked[" + account + "]";
        }
    }

    /**
     * A change of an account. Empty fields keep their value.
     *
     * @param revision the revision that the caller saw; 0 for any
     */
    record Edit(
            Optional<String> displayName,
            Optional<String> email,
            Optional<List<Grant>> roles,
            Optional<Boolean> disabled,
            long revision,
            String reason) {

        static Edit disabling(String reason) {
            return new Edit(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(true), 0, reason);
        }
    }

    /** Returns the accounts that the caller manages, by name. */
    List<Account> list(Access access) {
        return people.database().read(people.accounts()::all).stream()
                .filter(account -> manages(access, account))
                .toList();
    }

    Account find(Access access, long id) {
        return people.database().read(client -> managed(client, access, id));
    }

    /** Creates a local account without a password. */
    Linked create(Access access, String name, String displayName, String email, List<Grant> roles, String reason) {
        requireShort("display_name", displayName);
        requireShort("reason", reason);
        requireSize(access, roles);
        roles.forEach(grant -> requireGivable(access, grant));
        return people.database().write(client -> {
            people.accounts().lockAll(client);
            if (people.accounts().named(client, name).isPresent()) {
                throw RefusedException.conflict("user: taken (expected: another name)");
            }
            Account account = people.accounts()
                    .add(client, new Accounts.Draft(name, displayName, email, Account.LOCAL, "", roles));
            log(client, access, "create_account", reason, account, Map.of());
            return linked(client, account);
        });
    }

    Account change(Access access, long id, Edit edit) {
        edit.displayName().ifPresent(text -> requireShort("display_name", text));
        requireShort("reason", edit.reason());
        edit.roles().ifPresent(roles -> requireSize(access, roles));
        return people.database().write(client -> {
            people.accounts().lockAll(client);
            Account old = managed(client, access, id);
            if (edit.revision() != 0 && edit.revision() != old.revision()) {
                throw RefusedException.conflict("revision: " + edit.revision() + " (expected: " + old.revision()
                        + "; somebody else changed the account)");
            }
            Account changed = edited(old, edit);
            requireOther(access, old);
            changed.grants().stream()
                    .filter(grant -> old.isDisabled() || !old.grants().contains(grant))
                    .forEach(grant -> requireGivable(access, grant));
            if (old.isEnabledAdministrator()
                    && !changed.isEnabledAdministrator()
                    && !people.accounts().hasAdministratorBeside(client, id)) {
                throw RefusedException.conflict(
                        "account: the last administrator (expected: make somebody else an administrator first)");
            }
            Account replaced = people.accounts().replace(client, changed);
            if (replaced.isDisabled()) {
                people.vault().dropLinks(client, id);
            }
            boolean disables = changed.isDisabled() && !old.isDisabled();
            log(
                    client,
                    access,
                    disables ? "disable_account" : "change_account",
                    edit.reason(),
                    replaced,
                    before(old, replaced));
            return replaced;
        });
    }

    /** Creates a one-time link that sets the password of an account. Earlier links of the account become void. */
    Linked link(Access access, long id, String reason) {
        requireShort("reason", reason);
        return people.database().write(client -> {
            people.accounts().lockAll(client);
            Account account = managed(client, access, id);
            requireOther(access, account);
            if (account.isDisabled() || !account.origin().equals(Account.LOCAL)) {
                throw RefusedException.conflict(
                        account.isDisabled()
                                ? "account: disabled (expected: enable it first)"
                                : "account: from " + account.origin()
                                        + " (expected: a local one; others have no password here)");
            }
            log(client, access, "make_link", reason, account, Map.of());
            return linked(client, account);
        });
    }

    private Linked linked(JdbcClient client, Account account) {
        if (account.isEnabledAdministrator()) {
            people.vault().dropLinks(client, 0);
        }
        return new Linked(account, people.vault().link(client, account.id(), SetUp.LIFE));
    }

    private Account edited(Account old, Edit edit) {
        Account named = old.named(
                edit.displayName().orElse(old.displayName()), edit.email().orElse(old.email()));
        long now = people.clock().epochMicros() / 1000;
        boolean disabled = edit.disabled().orElse(old.isDisabled());
        return named.withGrants(edit.roles().orElse(old.grants()))
                .disabled(!disabled ? 0 : old.isDisabled() ? old.disabledAt() : now);
    }

    /** Returns an account that the caller manages. Any other account is reported as unknown. */
    private Account managed(JdbcClient client, Access access, long id) {
        return people.accounts()
                .find(client, id)
                .filter(account -> manages(access, account))
                .orElseThrow(() -> RefusedException.missing("user " + id + ": unknown"));
    }

    private static boolean manages(Access access, Account account) {
        return access.mayEverywhere(Right.MANAGE_PEOPLE)
                || (!account.grants().isEmpty()
                        && account.grants().stream().allMatch(grant -> access.may(Right.MANAGE_PEOPLE, grant)));
    }

    private static void requireOther(Access access, Account account) {
        if (access.isPerson() && access.account() == account.id()) {
            throw RefusedException.conflict(
                    "account: your own (expected: somebody else who manages people changes it)");
        }
    }

    private static void requireGivable(Access access, Grant grant) {
        if (!access.mayGive(grant)) {
            throw RefusedException.forbidden("roles: " + grant.role().word()
                    + " has rights that you do not have (expected: roles within your own rights)");
        }
    }

    /** Checks the number of roles. Without a role, the account of a tenant administrator would belong to no tenant. */
    private static void requireSize(Access access, List<Grant> roles) {
        int least = access.mayEverywhere(Right.MANAGE_PEOPLE) ? 0 : 1;
        if (roles.size() < least || roles.size() > MOST_ROLES) {
            throw RefusedException.invalid(
                    "roles: " + roles.size() + " (expected: " + least + " to " + MOST_ROLES + ")");
        }
    }

    private static void requireShort(String field, String text) {
        if (text.length() > LONGEST_TEXT || text.chars().anyMatch(Character::isISOControl)) {
            throw RefusedException.invalid(field + ": too long or with control characters (expected: at most "
                    + LONGEST_TEXT + " characters)");
        }
    }

    /** Returns the values that a change replaced. An e-mail address is personal, so the log records only that it was replaced. */
    private static Map<String, Object> before(Account old, Account changed) {
        Map<String, Object> before = new LinkedHashMap<>();
        if (!old.displayName().equals(changed.displayName())) {
            before.put("display_name", old.displayName());
        }
        if (!old.email().equals(changed.email())) {
            before.put("email", old.email().isEmpty() ? "none" : "another");
        }
        if (!old.grants().equals(changed.grants())) {
            before.put("roles", GrantsJson.write(old.grants()));
        }
        if (old.isDisabled() != changed.isDisabled()) {
            before.put("disabled", old.isDisabled());
        }
        return before;
    }

    private void log(
            JdbcClient client, Access access, String kind, String reason, Account account, Map<String, Object> before) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("account", account.id());
        details.put("user", account.name());
        details.put("display_name", account.displayName());
        details.put("roles", GrantsJson.write(account.grants()));
        details.put("disabled", account.isDisabled());
        if (!before.isEmpty()) {
            details.put("before", before);
        }
        var unused = people.log().add(client, access.actor(), new Command.Act(kind, reason, details));
    }
}
