package io.sluice.center.account;

import io.sluice.center.command.Command;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.people.Account;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.signin.Passwords;
import io.sluice.center.signin.SessionStart;
import io.sluice.center.signin.SignInParts;
import io.sluice.center.signin.SignInRefusedException;
import io.sluice.center.signin.SignInServer;
import io.sluice.center.signin.SignInServers;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;

/** The routes for the account of the signed-in person. */
@RestController
public final class MeRoutes {

    private final People people;
    private final Passwords passwords;
    private final SessionStart start;
    private final List<SignInServer> servers;

    MeRoutes(SignInParts parts, SessionStart start, SignInServers servers) {
        this.people = parts.people();
        this.passwords = parts.passwords();
        this.start = start;
        this.servers = servers.list();
    }

    @GetMapping("/api/me")
    MeReply me(@RequestAttribute(CurrentAccess.FRESH) boolean fresh) {
        return MeReply.of(own(), SessionRoutes.signedIn(), fresh);
    }

    /** Changes the password and ends all sessions of the account. The person continues in a new session. */
    @PutMapping("/api/me/password")
    SessionReply password(HttpServletRequest request, HttpServletResponse response) {
        String password = RequestBody.string(RequestBody.object(request, Set.of("password")), "password", "");
        Account own = own();
        if (!own.origin().equals(Account.LOCAL)) {
            throw RefusedException.conflict(
                    "password: that of " + own.origin() + " (expected: change it at that identity server)");
        }
        Passwords.require(password, own.name());
        String hash = passwords.hash(password);
        Account changed = people.database().write(client -> {
            Account account = people.accounts()
                    .find(client, own.id())
                    .filter(found -> !found.isDisabled())
                    .orElseThrow(SignInRefusedException::new);
            Account replaced = people.accounts().replace(client, account.withPassword(hash));
            people.vault().dropLinks(client, account.id());
            var unused = people.log()
                    .add(
                            client,
                            account.actor().at(request.getRemoteAddr()),
                            new Command.Act("change_password", "", Map.of("account", account.id())));
            return replaced;
        });
        String id = start.begin(request, response, changed, FactorGrantedAuthority.PASSWORD_AUTHORITY);
        return SessionReply.of(changed, id, servers);
    }

    private Account own() {
        long id = SessionRoutes.signedIn().access().account();
        return people.database()
                .read(client -> people.accounts().find(client, id))
                .orElseThrow(SignInRefusedException::new);
    }
}
