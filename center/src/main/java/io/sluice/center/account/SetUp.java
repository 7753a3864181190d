package io.sluice.center.account;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.command.Command;
import io.sluice.center.people.Account;
import io.sluice.center.people.Accounts;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.signin.Passwords;
import io.sluice.center.signin.PublicAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** One-time links. The person with the link chooses the password of an account, or the name and password of the first administrator. */
public final class SetUp {

    /** The lifetime of a link. */
    public static final Duration LIFE = Duration.ofHours(24);

    /** The account id of a link that creates the first administrator. */
    private static final long FIRST_ADMINISTRATOR = 0;

    private final People people;
    private final Passwords passwords;

    public SetUp(People people, Passwords passwords) {
        this.people = people;
        this.passwords = passwords;
    }

    /** Returns the address with a secret. Browsers do not send the part after the {@code #}, so the secret gets into no log. */
    public static String link(PublicAddress address, String secret) {
        return address.url().toString().replaceAll("/+$", "") + "/set-up#" + secret;
    }

    /** Creates a link for the first administrator and returns its secret; empty if there is an administrator. */
    public Optional<String> firstLink() {
        return people.database().write(client -> {
            people.accounts().lockAll(client);
            return people.accounts().hasAdministratorBeside(client, FIRST_ADMINISTRATOR)
                    ? Optional.empty()
                    : Optional.of(people.vault().link(client, FIRST_ADMINISTRATOR, LIFE));
        });
    }

    /**
     * Returns the account of a link; empty for the first administrator.
     *
     * @throws RefusedException if the link is not valid
     */
    public Optional<Account> look(String secret) {
        return people.database().read(client -> {
            long id = people.vault().look(client, secret).orElseThrow(SetUp::unknown);
            return id == FIRST_ADMINISTRATOR ? Optional.empty() : Optional.of(usable(client, id));
        });
    }

    /**
     * A request with a link.
     *
     * @param secret the secret of the link
     * @param name the name of the first administrator; otherwise empty
     * @param email the e-mail address of the first administrator; may be empty
     */
    record Wish(String secret, String name, String email, String password) {

        @Override
        public String toString() {
            return "Wish[" + name + "]";
        }
    }

    /**
     * Uses a link. If a step fails, nothing is changed and the link remains valid.
     *
     * @param address the address that the request came from
     * @return the account, whose owner has proved their identity with the link
     * @throws RefusedException if the link is not valid or was used, or the password or name is not usable
     */
    Account use(Wish wish, String address) {
        Optional<Account> known = look(wish.secret());
        if (known.isPresent() && !(wish.name().isEmpty() && wish.email().isEmpty())) {
            throw RefusedException.invalid(
                    "user or email: not possible here (expected: only a password, because the" + " account exists)");
        }
        if (known.isEmpty() && wish.name().isEmpty()) {
            throw RefusedException.invalid("user: missing (expected: the name of the administrator)");
        }
        Passwords.require(wish.password(), known.map(Account::name).orElse(wish.name()));
        String hash = passwords.hash(wish.password());
        return people.database().write(client -> {
            people.accounts().lockAll(client);
            long id = people.vault().use(client, wish.secret()).orElseThrow(SetUp::unknown);
            Account account = id == FIRST_ADMINISTRATOR ? first(client, wish.name(), wish.email()) : usable(client, id);
            Account ready = people.accounts().replace(client, account.withPassword(hash));
            people.vault().dropLinks(client, ready.id());
            var unused = people.log()
                    .add(
                            client,
                            ready.actor().at(address),
                            new Command.Act(
                                    "set_up_account",
                                    "",
                                    Map.of("account", ready.id(), "first", id == FIRST_ADMINISTRATOR)));
            return ready;
        });
    }

    private Account first(JdbcClient client, String name, String email) {
        if (people.accounts().named(client, name).isPresent()) {
            throw RefusedException.conflict("user: taken (expected: another name)");
        }
        return people.accounts().add(client, Accounts.Draft.local(name, email, List.of(Grant.of(Role.ADMINISTRATOR))));
    }

    private Account usable(JdbcClient client, long id) {
        return people.accounts()
                .find(client, id)
                .filter(account -> !account.isDisabled() && account.origin().equals(Account.LOCAL))
                .orElseThrow(SetUp::unknown);
    }

    private static RefusedException unknown() {
        return RefusedException.missing(
                "link: unknown, used or too old (expected: a new one from an administrator, or from the start of the"
                        + " center)");
    }
}
