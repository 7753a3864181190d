package io.sluice.center.people;

import io.sluice.center.access.Grant;
import io.sluice.center.access.GrantsJson;
import io.sluice.center.access.Role;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.refusal.RefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Restores access for an administrator who controls the machine of the center. This is necessary if all passkeys are lost, the last
 * administrator has left, or the identity server is unavailable. Only local accounts can be reset.
 */
public final class AdministratorReset {

    /** The lifetime of the link. */
    public static final Duration LIFE = Duration.ofHours(1);

    private final People people;

    public AdministratorReset(People people) {
        this.people = people;
    }

    /**
     * The outcome of a reset.
     *
     * @param user the account; empty if the person who uses the link chooses a name
     * @param secret the secret in the link
     */
    public record Outcome(Optional<String> user, boolean isNew, String secret) {

        @Override
        public String toString() {
            return "Outcome[" + user + ", " + isNew + "]";
        }
    }

    /**
     * Creates a link for an administrator. The account is enabled, gets the role of an administrator and loses its password, and its
     * sessions end. An unknown name becomes a new account. Without a name, the only administrator is reset; if there is none, the link
     * creates the first administrator.
     *
     * @throws RefusedException if the account is not local, or there are several administrators
     */
    public Outcome reset(Actor actor, Optional<String> name) {
        return people.database().write(client -> {
            Optional<Account> found =
                    name.isPresent() ? people.accounts().named(client, name.get()) : onlyAdministrator(client);
            boolean isNew = found.isEmpty() && name.isPresent();
            Optional<Account> account =
                    isNew ? Optional.of(add(client, name.orElseThrow())) : found.map(old -> restored(client, old));
            String secret = people.vault().link(client, account.map(Account::id).orElse(0L), LIFE);
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("account", account.map(Account::id).orElse(0L));
            details.put("user", account.map(Account::name).orElse(""));
            details.put("new", isNew);
            found.ifPresent(old -> details.put(
                    "before", Map.of("roles", GrantsJson.write(old.grants()), "disabled", old.isDisabled())));
            long unused = people.log().add(client, actor, new Command.Act("reset_admin", "", details));
            return new Outcome(account.map(Account::name), isNew, secret);
        });
    }

    private Optional<Account> onlyAdministrator(JdbcClient client) {
        List<Account> all = people.accounts().all(client).stream()
                .filter(account -> account.origin().equals(Account.LOCAL)
                        && account.grants().stream().anyMatch(grant -> grant.role() == Role.ADMINISTRATOR))
                .toList();
        List<Account> enabled =
                all.stream().filter(account -> !account.isDisabled()).toList();
        List<Account> candidates = enabled.isEmpty() ? all : enabled;
        if (candidates.size() > 1) {
            throw RefusedException.conflict("user: missing, and there are several administrators (expected: --user with"
                    + " one of " + candidates.stream().map(Account::name).collect(Collectors.joining(", ")) + ")");
        }
        return candidates.stream().findFirst();
    }

    private Account add(JdbcClient client, String name) {
        return people.accounts().add(client, Accounts.Draft.local(name, "", List.of(Grant.of(Role.ADMINISTRATOR))));
    }

    private Account restored(JdbcClient client, Account account) {
        if (!account.origin().equals(Account.LOCAL)) {
            throw RefusedException.conflict("user: " + account.name() + " comes from the identity server "
                    + account.origin() + " (expected: a local account, or a new name)");
        }
        List<Grant> grants = new ArrayList<>(account.grants());
        Grant administrator = Grant.of(Role.ADMINISTRATOR);
        if (!grants.contains(administrator)) {
            grants.add(administrator);
        }
        return people.accounts()
                .replace(client, account.withGrants(grants).withPassword("").disabled(0));
    }
}
