package io.sluice.center.identity;

import io.sluice.center.access.GrantsJson;
import io.sluice.center.identity.server.ServerPerson;
import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Tries the steps of one person's sign-in at each identity server without a password, and reports the findings. Changes nothing. */
public final class SignInCheck {

    private final SignInSettings settings;
    private final People people;

    public SignInCheck(SignInSettings settings, People people) {
        this.settings = settings;
        this.people = people;
    }

    /**
     * Asks every server.
     *
     * @param name the name as the person types it, or the name of the account here
     * @return lines for the user; values from the servers are masked
     * @throws IOException with a sentence for the user, if a secret cannot be read
     */
    public List<String> of(String name) throws IOException {
        try (ServerConfirmations servers = ServerConfirmations.open(settings, people, Clock.system())) {
            return of(name, servers);
        }
    }

    private List<String> of(String name, ServerConfirmations servers) {
        List<String> lines = new ArrayList<>();
        lines.add(account(name));
        for (LdapDirectory directory : servers.directories()) {
            lines.addAll(ldap(directory, name));
        }
        for (OidcClient client : servers.clients().values()) {
            lines.addAll(oidc(client));
        }
        if (lines.size() == 1) {
            lines.add("no identity server is configured (expected: center.oidc or center.ldap, and --config)");
        }
        return lines;
    }

    private String account(String name) {
        Optional<Account> found =
                people.database().read(client -> people.accounts().named(client, name));
        if (found.isEmpty()) {
            return "account: none of that name here; the first sign-in makes one";
        }
        Account account = found.get();
        String state = people.database()
                .read(client -> people.confirmations().problem(client, account))
                .orElse("can be used");
        return "account: " + account.name() + " of " + account.origin() + "; " + state + "; roles "
                + GrantsJson.write(account.grants()) + confirmed(account);
    }

    private String confirmed(Account account) {
        if (account.origin().equals(Account.LOCAL)) {
            return "";
        }
        long at = people.database()
                .read(client -> people.confirmations().of(client, account))
                .confirmedAt();
        return at == 0 ? "" : "; confirmed at " + Instant.ofEpochMilli(at);
    }

    private static List<String> ldap(LdapDirectory directory, String name) {
        String server = directory.server().name() + ": ";
        try {
            Optional<ServerPerson> person = directory.look(name);
            if (person.isEmpty()) {
                return List.of(server + "no usable entry under "
                        + directory.server().users().base() + " by "
                        + directory.server().users().filter() + ": none, several, or a locked one");
            }
            return List.of(
                    server + "one entry; " + person.get().evidence(),
                    server
                            + (person.get().grants().isEmpty()
                                    ? "no role, so the sign-in would be refused"
                                    : "roles " + GrantsJson.write(person.get().grants())));
        } catch (SignInFailedException e) {
            return List.of(server + e.getMessage());
        }
    }

    /** Tries all steps before a sign-in. The server's claims about a person are known only after one. */
    private static List<String> oidc(OidcClient client) {
        String server = client.server().name() + ": ";
        String then = server + "the log of the center says at a sign-in which claims came; it looks for the claim "
                + client.server().claims().roles();
        try {
            var unused = client.refresh("nobody", "no token");
            return List.of(server + "the server takes any token (expected: another server)");
        } catch (SignInFailedException e) {
            return e.problem() == SignInProblem.REFUSED
                    ? List.of(server + "the server answers and accepts this client and its secret", then)
                    : List.of(server + e.getMessage(), then);
        }
    }
}
