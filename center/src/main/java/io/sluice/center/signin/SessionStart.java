package io.sluice.center.signin;

import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.people.Account;
import io.sluice.center.people.Factor;
import io.sluice.center.people.People;
import io.sluice.center.people.Session;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import java.util.Optional;

/** Starts a session after a person has proved their identity. Each way of signing in ends here. */
public final class SessionStart {

    private final People people;
    private final SessionCookie cookie;

    SessionStart(People people, SessionCookie cookie) {
        this.people = people;
        this.cookie = cookie;
    }

    /**
     * Starts a session, or adds a factor to the session of the same account that the request presents. The id is always new, so an id that
     * was known before becomes worthless.
     *
     * @param authority the factor that was presented, such as {@code FACTOR_PASSWORD}
     * @return the id of the session
     */
    public String begin(HttpServletRequest request, HttpServletResponse response, Account account, String authority) {
        return begin(
                request, response, account, new Factor(authority, people.clock().epochMicros() / 1000), "");
    }

    /**
     * Starts a session, or adds a factor to it, with a factor that was presented earlier at an identity server.
     *
     * @param serverSession a hash of the session at the server, by which the server can end this session; empty if the server names none
     */
    public String begin(
            HttpServletRequest request,
            HttpServletResponse response,
            Account account,
            Factor factor,
            String serverSession) {
        Optional<String> old = cookie.read(request);
        Optional<Session> session = old.flatMap(people.sessions()::find);
        Actor actor = account.actor().at(request.getRemoteAddr());
        String id = people.database().write(client -> {
            Optional<String> raised = session.filter(found -> found.account().id() == account.id())
                    .flatMap(found -> people.sessions().stepUp(client, old.orElseThrow(), factor, serverSession));
            if (raised.isEmpty() && session.isPresent()) {
                people.sessions().end(client, old.orElseThrow());
            }
            String begun = raised.orElseGet(() -> people.sessions().begin(client, account, factor, serverSession));
            long unused = people.log()
                    .add(
                            client,
                            actor,
                            new Command.Act(
                                    raised.isPresent() ? "step_up" : "sign_in",
                                    "",
                                    Map.of("account", account.id(), "factor", factor.authority())));
            return begun;
        });
        cookie.write(response, id);
        return id;
    }
}
