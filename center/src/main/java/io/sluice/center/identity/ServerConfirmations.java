package io.sluice.center.identity;

import io.sluice.center.identity.server.ServerPerson;
import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.people.Account;
import io.sluice.center.people.Confirmation;
import io.sluice.center.people.Confirmer;
import io.sluice.center.people.People;
import io.sluice.center.remote.RemoteHttp;
import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.OidcServer;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The identity servers of a center, and the questions to them about people who are not signing in. The leading center asks about
 * every account that can act, once per interval. Each center also asks when a token or a passkey is used and the last question is
 * older than the interval. LDAP servers are asked for the entry, other servers with the refresh token of the last answer, if
 * there is one. Thread-safe.
 */
public final class ServerConfirmations implements Confirmer, AutoCloseable {

    private static final int MAX_PER_TURN = 50;

    /** The interval of looking for accounts that are due. */
    private static final Duration TURN = Duration.ofSeconds(5);

    /** The time for which a server that did not answer is not asked about any account. */
    private static final Duration AWAY = Duration.ofMinutes(1);

    private final People people;
    private final ServerAccounts accounts;
    private final Duration interval;
    private final Map<String, LdapDirectory> directories = new LinkedHashMap<>();
    private final Map<String, OidcClient> clients = new LinkedHashMap<>();

    /** The earliest time of the next question about each account that was examined; the database decides. */
    private final Map<Long, Long> notBefore = new ConcurrentHashMap<>();

    /** The earliest time of the next question to a server that did not answer. */
    private final Map<String, Long> awayUntil = new ConcurrentHashMap<>();

    private volatile long nextTurn;

    private ServerConfirmations(People people, Duration interval) {
        this.people = people;
        this.accounts = new ServerAccounts(people);
        this.interval = interval;
    }

    /**
     * Creates the clients of all servers in the settings. No server is contacted.
     *
     * @throws IOException with a sentence for the user
     */
    public static ServerConfirmations open(SignInSettings settings, People people, Clock clock) throws IOException {
        ServerConfirmations servers = new ServerConfirmations(people, settings.checkEvery());
        for (LdapServer server : settings.ldap()) {
            servers.directories.put(server.name(), new LdapDirectory(server, clock));
        }
        for (OidcServer server : settings.oidc()) {
            servers.clients.put(
                    server.name(), new OidcClient(server, new RemoteHttp(IdentityConfiguration.trust(server)), clock));
        }
        return servers;
    }

    ServerAccounts accounts() {
        return accounts;
    }

    /** Returns the LDAP servers in the order of their questions. */
    List<LdapDirectory> directories() {
        return List.copyOf(directories.values());
    }

    /** Returns the clients of OpenID Connect servers by their names. */
    Map<String, OidcClient> clients() {
        return new LinkedHashMap<>(clients);
    }

    /** Asks about accounts that are due, if this center leads. */
    public void turn(boolean leads) {
        long now = now();
        if (!leads || now < nextTurn) {
            return;
        }
        nextTurn = now + TURN.toMillis();
        List<String> servers = new ArrayList<>(directories.keySet());
        servers.addAll(clients.keySet());
        for (String server : servers) {
            List<Long> due = people.database().read(client -> people.confirmations()
                    .due(client, server, now - interval.toMillis(), clients.containsKey(server), MAX_PER_TURN));
            for (long account : due) {
                boolean unused = ask(account, now);
            }
        }
    }

    @Override
    public boolean confirm(long account) {
        long now = now();
        return (!directories.isEmpty() || !clients.isEmpty())
                && notBefore.getOrDefault(account, 0L) <= now
                && ask(account, now);
    }

    @Override
    public boolean isAsked(Account account) {
        return directories.containsKey(account.origin())
                || (clients.containsKey(account.origin())
                        && !people.database()
                                .read(client -> people.confirmations().of(client, account))
                                .refreshToken()
                                .isEmpty());
    }

    /** Returns whether the server was asked and answered. */
    private boolean ask(long id, long now) {
        Optional<Account> found =
                people.database().read(client -> people.accounts().find(client, id));
        if (found.isEmpty() || found.get().origin().equals(Account.LOCAL)) {
            notBefore.put(id, Long.MAX_VALUE);
            return false;
        }
        Account account = found.get();
        Confirmation seen =
                people.database().read(client -> people.confirmations().of(client, account));
        notBefore.put(id, seen.askedAt() + interval.toMillis());
        if (account.isDisabled()
                || seen.askedAt() + interval.toMillis() > now
                || awayUntil.getOrDefault(account.origin(), 0L) > now
                || !canAsk(account, seen)
                || !people.database().write(client -> people.confirmations().claim(client, seen))) {
            return false;
        }
        notBefore.put(id, now + interval.toMillis());
        try {
            answer(account, seen);
            return true;
        } catch (SignInFailedException e) {
            // The last confirmation holds until it ends. The state of the server has logged the failure.
            awayUntil.put(account.origin(), now() + AWAY.toMillis());
            return false;
        }
    }

    private boolean canAsk(Account account, Confirmation seen) {
        return directories.containsKey(account.origin())
                || (clients.containsKey(account.origin())
                        && !seen.refreshToken().isEmpty());
    }

    private void answer(Account account, Confirmation seen) throws SignInFailedException {
        LdapDirectory directory = directories.get(account.origin());
        if (directory != null) {
            Optional<ServerPerson> person =
                    directory.look(account).filter(looked -> looked.subject().equals(account.subject()));
            if (person.isPresent()) {
                accounts.confirm(person.get(), "");
            } else {
                accounts.remove(account, account.origin() + " has no entry of this person any more, or has locked it");
            }
            return;
        }
        OidcClient client = clients.get(account.origin());
        if (client != null) {
            refresh(client, account, seen);
        }
    }

    private void refresh(OidcClient client, Account account, Confirmation seen) throws SignInFailedException {
        RefreshTokens tokens = new RefreshTokens(client.server());
        Optional<String> token = tokens.decrypted(seen.refreshToken(), account.subject());
        if (token.isEmpty()) {
            // The secret of the client has changed. The confirmation ends by itself.
            return;
        }
        try {
            OidcClient.Refreshed refreshed = client.refresh(account.subject(), token.get());
            String next = tokens.encrypted(refreshed.refreshToken(), account.subject());
            if (refreshed.user().isPresent()) {
                accounts.confirm(OidcPerson.of(client.server(), refreshed.user().get()), next);
            } else {
                people.database().write(database -> {
                    people.confirmations().confirm(database, account.id(), next);
                    return account;
                });
            }
        } catch (SignInFailedException e) {
            if (e.problem() != SignInProblem.REFUSED) {
                throw e;
            }
            accounts.suspend(account, account.origin() + " refuses to confirm this person: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        directories.values().forEach(LdapDirectory::close);
        clients.values().forEach(OidcClient::close);
    }

    private long now() {
        return people.clock().epochMicros() / 1000;
    }
}
