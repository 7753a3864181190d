package io.sluice.center.identity;

import io.sluice.center.identity.server.SecretFile;
import io.sluice.center.identity.server.ServerState;
import io.sluice.center.identity.server.SignInFailedException;
import io.sluice.center.identity.server.SignInProblem;
import io.sluice.center.remote.RemoteHttp;
import io.sluice.center.signin.SecurityConfiguration;
import io.sluice.center.signin.settings.OidcServer;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.client.authentication.OAuth2LoginAuthenticationToken;
import org.springframework.security.oauth2.client.endpoint.OAuth2RefreshTokenGrantRequest;
import org.springframework.security.oauth2.client.oidc.authentication.OidcAuthorizationCodeAuthenticationProvider;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenDecoderFactory;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenValidator;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserRequest;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2AuthorizationException;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2ErrorCodes;
import org.springframework.security.oauth2.core.OAuth2RefreshToken;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.endpoint.OAuth2AccessTokenResponse;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationExchange;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationResponse;
import org.springframework.security.oauth2.core.endpoint.PkceParameterNames;
import org.springframework.security.oauth2.core.oidc.OidcIdToken;
import org.springframework.security.oauth2.core.oidc.endpoint.OidcParameterNames;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.web.client.HttpServerErrorException;

/**
 * A client of one identity server for OpenID Connect: authorization code, PKCE, state, nonce and a signed ID token. The metadata
 * of the server is read at the first use and again after an hour, so a center starts while the server is unavailable.
 * Thread-safe.
 */
final class OidcClient implements AutoCloseable {

    private static final Duration KNOWN_FOR = Duration.ofHours(1);

    /** The field of the metadata that states whether each answer contains the issuer (RFC 9207). */
    private static final String SENDS_ISSUER = "authorization_response_iss_parameter_supported";

    /** A placeholder where the library requires an access token. It is never used. */
    private static final OAuth2AccessToken ANY_ACCESS =
            new OAuth2AccessToken(OAuth2AccessToken.TokenType.BEARER, "none", null, null);

    private final OidcServer server;
    private final RemoteHttp http;
    private final Clock clock;
    private final ServerState state;
    private volatile @Nullable Known known;

    /** The known facts about the server. The secret of this client is read at each use. */
    private record Known(ClientRegistration registration, OidcKeys keys, boolean sendsIssuer, Instant until) {}

    OidcClient(OidcServer server, RemoteHttp http, io.sluice.core.time.Clock clock) {
        this.server = server;
        this.http = http;
        this.clock = SecurityConfiguration.clock(clock);
        this.state = new ServerState(
                "oidc." + server.name(), clock, conversation -> discover(new OidcRequests(http, conversation)));
    }

    OidcServer server() {
        return server;
    }

    /**
     * The result of a sign-in.
     *
     * @param refreshToken the token for the next question about the person; empty if the server gave none
     */
    record Finished(OidcUser user, String refreshToken) {

        @Override
        public String toString() {
            return "Finished[" + user.getSubject() + "]";
        }
    }

    /**
     * The result of a question about a person without a sign-in.
     *
     * @param user the person; empty if the server sent no ID token, so the roles are not known
     */
    record Refreshed(Optional<OidcUser> user, String refreshToken) {

        @Override
        public String toString() {
            return "Refreshed";
        }
    }

    /** A request that the browser takes to the server. */
    record Begun(String address, OidcCeremony ceremony) {}

    /**
     * Starts a sign-in.
     *
     * @param isFresh whether the server must ask the person again, even within its own session
     * @throws SignInFailedException if the server does not answer
     */
    Begun begin(HttpServletRequest request, String redirectUri, String next, boolean isFresh)
            throws SignInFailedException {
        ClientRegistration registration = state.call(conversation -> known(new OidcRequests(http, conversation)))
                .registration();
        DefaultOAuth2AuthorizationRequestResolver resolver = new DefaultOAuth2AuthorizationRequestResolver(
                new InMemoryClientRegistrationRepository(ClientRegistration.withClientRegistration(registration)
                        .redirectUri(redirectUri)
                        .build()));
        resolver.setAuthorizationRequestCustomizer(
                OAuth2AuthorizationRequestCustomizers.withPkce().andThen(builder -> {
                    if (isFresh) {
                        builder.additionalParameters(more -> more.putAll(Map.of("prompt", "login", "max_age", "0")));
                    }
                }));
        OAuth2AuthorizationRequest asked = Objects.requireNonNull(resolver.resolve(request, server.name()));
        return new Begun(
                asked.getAuthorizationRequestUri(),
                new OidcCeremony(
                        server.name(),
                        Objects.requireNonNull(asked.getState()),
                        text(asked, OidcParameterNames.NONCE),
                        text(asked, PkceParameterNames.CODE_VERIFIER),
                        redirectUri,
                        next,
                        isFresh));
    }

    /**
     * Exchanges the code in the server's answer for the server's claims about the person. The caller has compared the state.
     *
     * @param issuer the issuer in the answer; null if there is none
     * @throws SignInFailedException if the answer is not valid, or if the server does not answer
     */
    Finished finish(OidcCeremony ceremony, String code, @Nullable String issuer) throws SignInFailedException {
        return state.call(conversation -> {
            OidcRequests requests = new OidcRequests(http, conversation);
            Known at = known(requests);
            if (issuer == null && at.sendsIssuer()) {
                throw new SignInFailedException(
                        SignInProblem.REFUSED,
                        "the answer has no iss, although the server announces that it sends one");
            }
            OidcAuthorizationCodeAuthenticationProvider provider =
                    new OidcAuthorizationCodeAuthenticationProvider(requests.tokens(), requests.users());
            provider.setJwtDecoderFactory(registration -> decoder(registration, at.keys(), requests));
            try {
                OAuth2LoginAuthenticationToken token = (OAuth2LoginAuthenticationToken)
                        Objects.requireNonNull(provider.authenticate(exchange(secret(at), ceremony, code)));
                return new Finished(
                        (OidcUser) Objects.requireNonNull(token.getPrincipal()), text(token.getRefreshToken()));
            } catch (RuntimeException e) {
                throw failure(e, requests);
            }
        });
    }

    /**
     * Asks the server about a person again.
     *
     * @param subject the subject of the person
     * @param refreshToken the token from the server's last answer
     * @throws SignInFailedException {@link SignInProblem#REFUSED} if the server no longer accepts the token or answers about
     *     another person; {@link SignInProblem#UNAVAILABLE} if it does not answer, or does not know this client
     */
    Refreshed refresh(String subject, String refreshToken) throws SignInFailedException {
        return state.call(conversation -> {
            OidcRequests requests = new OidcRequests(http, conversation);
            Known at = known(requests);
            try {
                ClientRegistration registration = secret(at);
                OAuth2AccessTokenResponse tokens = requests.refreshes()
                        .getTokenResponse(new OAuth2RefreshTokenGrantRequest(
                                registration, ANY_ACCESS, new OAuth2RefreshToken(refreshToken, null)));
                String next = text(tokens.getRefreshToken());
                Object idToken = tokens.getAdditionalParameters().get(OidcParameterNames.ID_TOKEN);
                JwtDecoder decoder = decoder(registration, at.keys(), requests);
                return new Refreshed(
                        idToken instanceof String text
                                ? Optional.of(user(registration, requests, subject, decoder.decode(text), tokens))
                                : Optional.empty(),
                        next.isEmpty() ? refreshToken : next);
            } catch (RuntimeException e) {
                SignInFailedException failure = failure(e, requests);
                throw failure.problem() == SignInProblem.REFUSED && !isRefusal(e)
                        ? new SignInFailedException(
                                SignInProblem.UNAVAILABLE, String.valueOf(failure.getMessage()), failure)
                        : failure;
            }
        });
    }

    private static boolean isRefusal(RuntimeException failure) {
        return failure instanceof BadJwtException
                || (failure instanceof OAuth2AuthorizationException oauth
                        && oauth.getError().getErrorCode().equals(OAuth2ErrorCodes.INVALID_GRANT));
    }

    private static OidcUser user(
            ClientRegistration registration,
            OidcRequests requests,
            String subject,
            Jwt token,
            OAuth2AccessTokenResponse tokens)
            throws SignInFailedException {
        if (!subject.equals(token.getSubject())) {
            throw new SignInFailedException(SignInProblem.REFUSED, "the refresh token is that of another person");
        }
        return requests.users()
                .loadUser(new OidcUserRequest(
                        registration,
                        tokens.getAccessToken(),
                        new OidcIdToken(
                                token.getTokenValue(), token.getIssuedAt(), token.getExpiresAt(), token.getClaims())));
    }

    /**
     * Checks the signature of a logout token, and its times, issuer and audience.
     *
     * @throws SignInFailedException {@link SignInProblem#REFUSED} if it is not a token of the server for this client
     */
    Jwt logout(String token) throws SignInFailedException {
        return state.call(conversation -> {
            OidcRequests requests = new OidcRequests(http, conversation);
            Known at = known(requests);
            try {
                return decoder(at.keys(), requests, new LogoutTokens(server)).decode(token);
            } catch (BadJwtException e) {
                throw new SignInFailedException(SignInProblem.REFUSED, "logout: " + e.getMessage(), e);
            } catch (RuntimeException e) {
                throw failure(e, requests);
            }
        });
    }

    private ClientRegistration secret(Known at) throws SignInFailedException {
        try {
            return ClientRegistration.withClientRegistration(at.registration())
                    .clientSecret(SecretFile.of(server))
                    .build();
        } catch (IOException e) {
            throw new SignInFailedException(SignInProblem.UNAVAILABLE, String.valueOf(e.getMessage()), e);
        }
    }

    private static OAuth2LoginAuthenticationToken exchange(
            ClientRegistration registration, OidcCeremony ceremony, String code) {
        OAuth2AuthorizationRequest asked = OAuth2AuthorizationRequest.authorizationCode()
                .clientId(registration.getClientId())
                .authorizationUri(registration.getProviderDetails().getAuthorizationUri())
                .redirectUri(ceremony.redirectUri())
                .scopes(registration.getScopes())
                .state(ceremony.state())
                .attributes(Map.of(
                        OidcParameterNames.NONCE,
                        ceremony.nonce(),
                        PkceParameterNames.CODE_VERIFIER,
                        ceremony.verifier()))
                .build();
        OAuth2AuthorizationResponse answer = OAuth2AuthorizationResponse.success(code)
                .redirectUri(ceremony.redirectUri())
                .state(ceremony.state())
                .build();
        return new OAuth2LoginAuthenticationToken(registration, new OAuth2AuthorizationExchange(asked, answer));
    }

    private Known known(OidcRequests requests) throws SignInFailedException {
        Known old = known;
        if (old != null && clock.instant().isBefore(old.until())) {
            return old;
        }
        try {
            Known found = discover(requests);
            known = found;
            return found;
        } catch (SignInFailedException e) {
            if (old == null) {
                throw e;
            }
            return old;
        }
    }

    private Known discover(OidcRequests requests) throws SignInFailedException {
        try {
            Map<String, Object> document = requests.object(OidcMetadata.address(server));
            ClientRegistration registration = OidcMetadata.registration(server, document)
                    .redirectUri("{baseUrl}")
                    .build();
            return new Known(
                    registration,
                    new OidcKeys(URI.create(registration.getProviderDetails().getJwkSetUri()), clock),
                    Boolean.TRUE.equals(document.get(SENDS_ISSUER)),
                    clock.instant().plus(KNOWN_FOR));
        } catch (IOException e) {
            throw new SignInFailedException(
                    SignInProblem.UNAVAILABLE, "the server's metadata is unavailable: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw failure(e, requests);
        }
    }

    private JwtDecoder decoder(ClientRegistration registration, OidcKeys keys, OidcRequests requests) {
        OidcIdTokenValidator token = new OidcIdTokenValidator(registration);
        token.setClock(clock);
        return decoder(keys, requests, token);
    }

    private JwtDecoder decoder(OidcKeys keys, OidcRequests requests, OAuth2TokenValidator<Jwt> token) {
        JwtTimestampValidator times = new JwtTimestampValidator();
        times.setClock(clock);
        NimbusJwtDecoder decoder = NimbusJwtDecoder.withJwkSource(
                        (selector, context) -> keys.select(selector, requests))
                .jwsAlgorithms(algorithms -> algorithms.addAll(Set.of(SignatureAlgorithm.values())))
                .build();
        decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(List.of(times, token)));
        decoder.setClaimSetConverter(OidcIdTokenDecoderFactory.createDefaultClaimTypeConverter());
        return decoder;
    }

    /** Returns the failure. For an unusable answer, its message names the address and describes the answer. */
    private static SignInFailedException failure(RuntimeException failure, OidcRequests requests) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnusableAnswerException unusable) {
                SignInProblem problem = unusable.isRefusal() ? SignInProblem.REFUSED : SignInProblem.UNAVAILABLE;
                return new SignInFailedException(problem, String.valueOf(unusable.getMessage()), failure);
            }
            if (cause instanceof IOException) {
                return new SignInFailedException(
                        SignInProblem.UNAVAILABLE, String.valueOf(cause.getMessage()), failure);
            }
            if (cause instanceof HttpServerErrorException) {
                return new SignInFailedException(
                        SignInProblem.UNAVAILABLE, requests.last() + " (expected: status 200)", failure);
            }
        }
        if (failure instanceof OAuth2AuthenticationException oauth) {
            return refused(oauth.getError(), failure, requests);
        }
        if (failure instanceof OAuth2AuthorizationException other) {
            return refused(other.getError(), failure, requests);
        }
        return new SignInFailedException(
                SignInProblem.UNAVAILABLE, requests.last() + " (expected: fields of the right types)", failure);
    }

    private static SignInFailedException refused(OAuth2Error error, Throwable failure, OidcRequests requests) {
        String code = error.getErrorCode().replaceAll("[^a-zA-Z0-9_.-]", "?");
        return new SignInFailedException(
                SignInProblem.REFUSED, "the server's answer is not valid (" + code + "): " + requests.last(), failure);
    }

    private static String text(@Nullable OAuth2RefreshToken token) {
        return token == null ? "" : token.getTokenValue();
    }

    private static String text(OAuth2AuthorizationRequest request, String attribute) {
        return Objects.requireNonNull(request.<String>getAttribute(attribute));
    }

    @Override
    public void close() {
        state.close();
    }
}
