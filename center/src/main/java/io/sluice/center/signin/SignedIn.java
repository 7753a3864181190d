package io.sluice.center.signin;

import io.sluice.center.access.Access;
import io.sluice.center.people.Factor;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.FactorGrantedAuthority;

/** The authentication of a request with a valid credential. Its authorities are the factors that were presented, with their times. */
public final class SignedIn extends AbstractAuthenticationToken {

    private static final long serialVersionUID = 1;

    private final transient Access access;
    private final transient Optional<String> session;

    /**
     * Creates an authentication.
     *
     * @param session the id of the session; empty for a token
     */
    SignedIn(Access access, List<Factor> factors, Optional<String> session) {
        super(factors.stream()
                .map(factor -> FactorGrantedAuthority.withAuthority(factor.authority())
                        .issuedAt(Instant.ofEpochMilli(factor.at()))
                        .build())
                .toList());
        this.access = access;
        this.session = session;
        setAuthenticated(true);
    }

    public Access access() {
        return access;
    }

    /** Returns the id of the session; empty for a token. */
    public Optional<String> session() {
        return session;
    }

    @Override
    public Object getCredentials() {
        return "";
    }

    @Override
    public Object getPrincipal() {
        return access.actor().name();
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
