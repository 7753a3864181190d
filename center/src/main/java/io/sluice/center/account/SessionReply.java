package io.sluice.center.account;

import io.sluice.center.people.Account;
import io.sluice.center.signin.SessionCsrf;
import io.sluice.center.signin.SignInServer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The signed-in person, and the available ways of signing in. */
public record SessionReply(
        boolean signedIn, @Nullable String user, @Nullable String csrf, Ways ways) {

    /** The ways of signing in that the center offers. */
    public record Ways(boolean password, boolean passkey, List<Server> servers) {}

    /** An identity server. */
    public record Server(String name, String title, String url) {}

    static SessionReply of(Account account, String session, List<SignInServer> servers) {
        return new SessionReply(true, account.name(), SessionCsrf.of(session), ways(servers));
    }

    static SessionReply nobody(List<SignInServer> servers) {
        return new SessionReply(false, null, null, ways(servers));
    }

    private static Ways ways(List<SignInServer> servers) {
        return new Ways(
                true,
                true,
                servers.stream()
                        .map(server -> new Server(server.name(), server.title(), server.url()))
                        .toList());
    }
}
