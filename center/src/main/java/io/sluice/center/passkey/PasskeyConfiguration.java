package io.sluice.center.passkey;

import io.sluice.center.signin.RefusedRequests;
import io.sluice.center.signin.SessionCookie;
import io.sluice.center.signin.SessionStart;
import io.sluice.center.signin.SignInParts;
import io.sluice.center.signin.SignInThrottle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Passkeys in the web application. */
@Configuration(proxyBeanMethods = false)
public final class PasskeyConfiguration {

    @Bean
    PasskeyRoutes passkeyRoutes(
            SignInParts parts,
            SessionCookie cookie,
            SessionStart start,
            SignInThrottle throttle,
            RefusedRequests refused) {
        PasskeyStore store = new PasskeyStore(parts.people());
        return new PasskeyRoutes(
                parts.people(),
                store,
                new RelyingParty(parts.people(), store, parts.address()),
                new Ceremonies(parts.people(), cookie),
                cookie,
                start,
                throttle,
                refused,
                parts.confirmer());
    }
}
