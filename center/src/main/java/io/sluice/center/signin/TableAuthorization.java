package io.sluice.center.signin;

import io.sluice.center.access.AccessTable;
import io.sluice.center.access.Endpoint;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.security.authorization.AllRequiredFactorsAuthorizationManager;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** Authorizes each request by the table of endpoints. A request that is not in the table is refused. */
final class TableAuthorization implements AuthorizationManager<RequestAuthorizationContext> {

    /** The maximum age of a factor for endpoints that need a fresh one. */
    static final Duration FRESH = Duration.ofMinutes(5);

    private static final List<String> FACTORS = List.of(
            FactorGrantedAuthority.PASSWORD_AUTHORITY,
            FactorGrantedAuthority.WEBAUTHN_AUTHORITY,
            FactorGrantedAuthority.AUTHORIZATION_CODE_AUTHORITY);

    private static final List<Row> ROWS = rows();

    private final List<AllRequiredFactorsAuthorizationManager<Object>> factors = new ArrayList<>();

    private record Row(PathPattern path, Endpoint endpoint) {}

    /** A refusal with its reason, for the answer. */
    static final class Refusal extends AuthorizationDecision {

        private static final long serialVersionUID = 1;

        private final Why why;

        /** The reason of a refusal. */
        enum Why {
            UNKNOWN_PATH,
            UNKNOWN_METHOD,
            NOT_SIGNED_IN,
            NO_RIGHT,
            NOT_FRESH
        }

        Refusal(Why why) {
            super(false);
            this.why = why;
        }

        Why why() {
            return why;
        }
    }

    TableAuthorization(Clock clock) {
        for (String factor : FACTORS) {
            AllRequiredFactorsAuthorizationManager<Object> manager = AllRequiredFactorsAuthorizationManager.builder()
                    .requireFactor(required -> required.authority(factor).validDuration(FRESH))
                    .build();
            manager.setClock(clock);
            factors.add(manager);
        }
    }

    @Override
    public AuthorizationDecision authorize(
            Supplier<? extends @Nullable Authentication> authentication, RequestAuthorizationContext context) {
        List<Endpoint> matching = matching(context.getRequest());
        Optional<Endpoint> endpoint = withMethod(matching, context.getRequest().getMethod());
        if (endpoint.isPresent() && endpoint.get().isOpen()) {
            return new AuthorizationDecision(true);
        }
        if (!(authentication.get() instanceof SignedIn signedIn)) {
            return new Refusal(Refusal.Why.NOT_SIGNED_IN);
        }
        if (endpoint.isEmpty()) {
            return new Refusal(matching.isEmpty() ? Refusal.Why.UNKNOWN_PATH : Refusal.Why.UNKNOWN_METHOD);
        }
        if (!endpoint.get().permits(signedIn.access())) {
            return new Refusal(Refusal.Why.NO_RIGHT);
        }
        if (endpoint.get().needsFresh(signedIn.access()) && !isFresh(signedIn)) {
            return new Refusal(Refusal.Why.NOT_FRESH);
        }
        return new AuthorizationDecision(true);
    }

    /** Returns the endpoint that a request calls, or another endpoint with the same path if the method is wrong. */
    static Optional<Endpoint> endpoint(HttpServletRequest request) {
        List<Endpoint> matching = matching(request);
        return withMethod(matching, request.getMethod())
                .or(() -> matching.stream().findFirst());
    }

    private static List<Endpoint> matching(HttpServletRequest request) {
        PathContainer path = PathContainer.parsePath(request.getRequestURI());
        return ROWS.stream()
                .filter(row -> row.path().matches(path))
                .map(Row::endpoint)
                .toList();
    }

    private static Optional<Endpoint> withMethod(List<Endpoint> matching, String method) {
        return matching.stream()
                .filter(row -> row.method().equals(method)
                        || (method.equals("HEAD") && row.method().equals("GET")))
                .findFirst();
    }

    /** Returns whether one of the factors was presented within {@link #FRESH}. */
    boolean isFresh(SignedIn signedIn) {
        return factors.stream()
                .anyMatch(manager -> manager.authorize(() -> signedIn, "").isGranted());
    }

    private static List<Row> rows() {
        PathPatternParser parser = new PathPatternParser();
        return AccessTable.endpoints().stream()
                .map(endpoint -> new Row(parser.parse(endpoint.path()), endpoint))
                .sorted(Comparator.comparing(Row::path))
                .toList();
    }
}
