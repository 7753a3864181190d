package io.sluice.spring.web;

import io.sluice.http.request.Authority;
import io.sluice.http.request.CallerAddress;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.http.request.RequestFields;
import io.sluice.http.request.RequestMethod;
import io.sluice.http.request.RequestTarget;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Origin;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.snapshot.RuleSet;
import java.security.Principal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Builds the view of a request that rules see, in the same way as the gateway of a node. Immutable. */
public final class RequestReader {

    private final @Nullable String service;
    private final CallerAddress callers;
    private final PathForm paths;
    private final IdentityResolver identities;
    private final VerifiedClaims verified;
    private final OriginReader origins;

    /** Creates a reader that reads the origin of a request from its headers. */
    public RequestReader(
            @Nullable String service,
            CallerAddress callers,
            PathForm paths,
            IdentityResolver identities,
            VerifiedClaims verified) {
        this(service, callers, paths, identities, verified, OriginReader.HEADERS);
    }

    /**
     * Creates a reader.
     *
     * @param service the name of this application in rules; null or empty if it has none
     * @param verified distinguishes authenticated callers from anonymous callers
     */
    public RequestReader(
            @Nullable String service,
            CallerAddress callers,
            PathForm paths,
            IdentityResolver identities,
            VerifiedClaims verified,
            OriginReader origins) {
        this.service = service == null || service.isEmpty() ? null : service;
        this.callers = callers;
        this.paths = paths;
        this.identities = identities;
        this.verified = verified;
        this.origins = origins;
    }

    /**
     * Returns all attributes except those from the body. Headers and query fields are included only if a rule in force names
     * them. The authenticated identity replaces all other values, so no value that a caller sends can become {@code user} or
     * {@code tenant}.
     *
     * @throws RefusedRequestException if the request is ambiguous
     */
    Map<String, String> attributes(IncomingRequest request, RuleSet rules) throws RefusedRequestException {
        Map<String, String> values = new HashMap<>(16);
        RequestTarget target = addTarget(values, request);
        if (service != null) {
            values.put("service", service);
        }
        List<String> host = rules.headerFields().contains("header.host") ? List.of(host(request, target)) : List.of();
        RequestFields.addTo(values, rules, name -> name.equals("host") ? host : request.headers(name), target.query());
        values.putAll(identity(request.principal()));
        return values;
    }

    /**
     * Returns the attributes that are known before the caller is authenticated, see {@link
     * io.sluice.rules.model.EarlyAttributes}.
     *
     * @throws RefusedRequestException if the request is ambiguous
     */
    Map<String, String> early(IncomingRequest request, RuleSet rules) throws RefusedRequestException {
        Map<String, String> values = new HashMap<>(8);
        RequestTarget target = addTarget(values, request);
        if (rules.headerFields().contains("header.host")) {
            values.put("header.host", host(request, target));
        }
        return values;
    }

    private RequestTarget addTarget(Map<String, String> values, IncomingRequest request)
            throws RefusedRequestException {
        String method = RequestMethod.read(request.method());
        RequestTarget target = RequestTarget.read(method, request.target());
        // This refuses a path without a canonical form; for other paths, the attributes keep all readings.
        target.path(paths);
        values.put("path", target.sentPath());
        values.put("method", method);
        caller(request).ifPresent(address -> values.put("ip", address.toString()));
        return target;
    }

    /** Returns the request's id and trace in other systems. They never affect a decision. */
    Origin origin(IncomingRequest request) {
        return origins.of(request);
    }

    @Nullable
    String service() {
        return service;
    }

    PathForm paths() {
        return paths;
    }

    Optional<Address> caller(IncomingRequest request) {
        return callers.of(request.peer(), request::headers);
    }

    /** Returns the principal, or null if it stands for anonymous callers. */
    @Nullable
    Principal somebody(@Nullable Principal principal) {
        return principal != null && verified.isSomebody(principal) ? principal : null;
    }

    Map<String, String> identity(@Nullable Principal principal) {
        return principal == null ? Map.of() : identities.attributes(principal);
    }

    /** Returns the host without a port, as the routes of a gateway compare it. */
    static String host(IncomingRequest request, RequestTarget target) throws RefusedRequestException {
        Authority host = Authority.of(request.headers("host"));
        String other = target.authority();
        return (other == null ? host : host.agreeing(Authority.read(other))).host();
    }
}
