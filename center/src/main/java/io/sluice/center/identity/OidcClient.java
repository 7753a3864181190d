package io.sluice.center.identity;

import io.sluice.center.settings.OidcServer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.RequestEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.client.authentication.OAuth2LoginAuthenticationToken;
import org.springframework.security.oauth2.client.oidc.authentication.OidcAuthorizationCodeAuthenticationProvider;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenDecoderFactory;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenValidator;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2AuthorizationException;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationExchange;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationResponse;
import org.springframework.security.oauth2.core.endpoint.PkceParameterNames;
import org.springframework.security.oauth2.core.oidc.endpoint.OidcParameterNames;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClientException;

/**
 * Talks to one identity server with OpenID Connect: authorization code, PKCE, state, nonce and a signed ID token. What the server
 * publishes about itself is read at the first use and again after an hour, so a center starts while the server is away.
 * Thread-safe.
 */
final class OidcClient {

    private static final Duration KNOWN_FOR = Duration.ofHours(1);
    private static final ParameterizedTypeReference<Map<String, Object>> DOCUMENT =
            new ParameterizedTypeReference<>() {};

    private final OidcServer server;
    private final OidcHttp http;
    private final Clock clock;
    private final ServerState state;
    private volatile @Nullable Known known;

    /** What is known about the server. */
    private record Known(ClientRegistration registration, JwtDecoder decoder, Instant until) {}

    OidcClient(OidcServer server, OidcHttp http, Clock clock) {
        this.server = server;
        this.http = http;
        this.clock = clock;
        this.state = new ServerState("oidc." + server.name());
    }

    OidcServer server() {
        return server;
    }

    /** A request that the browser takes to the server. */
    record Begun(String address, OidcCeremony ceremony) {}

    /**
     * Begins a sign-in.
     *
     * @param isFresh whether the server must ask the person again, even within its own session
     * @throws SignInFailedException if the server does not answer
     */
    Begun begin(HttpServletRequest request, String redirectUri, String next, boolean isFresh)
            throws SignInFailedException {
        ClientRegistration registration = state.call(this::known).registration();
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
     * Changes the code in the server's answer into what the server says about the person. The caller has compared the state.
     *
     * @throws SignInFailedException if the answer is not valid, or if the server does not answer
     */
    OidcUser finish(OidcCeremony ceremony, String code) throws SignInFailedException {
        return state.call(() -> {
            Known at = known();
            OidcAuthorizationCodeAuthenticationProvider provider =
                    new OidcAuthorizationCodeAuthenticationProvider(http.tokens(), http.users());
            provider.setJwtDecoderFactory(registration -> at.decoder());
            try {
                return (OidcUser) Objects.requireNonNull(
                        Objects.requireNonNull(provider.authenticate(exchange(at.registration(), ceremony, code)))
                                .getPrincipal());
            } catch (AuthenticationException | OAuth2AuthorizationException e) {
                throw failure(e);
            }
        });
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

    private Known known() throws SignInFailedException {
        Known old = known;
        if (old != null && clock.instant().isBefore(old.until())) {
            return old;
        }
        try {
            Known found = discover();
            known = found;
            return found;
        } catch (SignInFailedException e) {
            if (old == null) {
                throw e;
            }
            return old;
        }
    }

    private Known discover() throws SignInFailedException {
        try {
            ResponseEntity<Map<String, Object>> response = http.documents()
                    .exchange(RequestEntity.get(OidcMetadata.address(server)).build(), DOCUMENT);
            if (response.getStatusCode().value() != HttpServletResponse.SC_OK) {
                throw new IOException("status " + response.getStatusCode().value());
            }
            Map<String, Object> document = response.getBody();
            ClientRegistration registration = OidcMetadata.registration(server, document == null ? Map.of() : document)
                    .clientSecret(SecretFile.of(server))
                    .redirectUri("{baseUrl}")
                    .build();
            return new Known(
                    registration, decoder(registration), clock.instant().plus(KNOWN_FOR));
        } catch (RestClientException | IOException e) {
            throw new SignInFailedException(
                    SignInProblem.UNAVAILABLE, "the server's metadata is unavailable: " + e.getMessage(), e);
        }
    }

    private JwtDecoder decoder(ClientRegistration registration) {
        OidcIdTokenValidator token = new OidcIdTokenValidator(registration);
        token.setClock(clock);
        JwtTimestampValidator times = new JwtTimestampValidator();
        times.setClock(clock);
        NimbusJwtDecoder decoder = NimbusJwtDecoder.withJwkSetUri(
                        registration.getProviderDetails().getJwkSetUri())
                .jwsAlgorithms(algorithms -> algorithms.addAll(Set.of(SignatureAlgorithm.values())))
                .restOperations(http.documents())
                .build();
        decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(List.of(times, token)));
        decoder.setClaimSetConverter(OidcIdTokenDecoderFactory.createDefaultClaimTypeConverter());
        return decoder;
    }

    private static SignInFailedException failure(RuntimeException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException || cause instanceof HttpServerErrorException) {
                return new SignInFailedException(
                        SignInProblem.UNAVAILABLE,
                        "the server does not answer: " + cause.getClass().getSimpleName(),
                        failure);
            }
        }
        String code = failure instanceof OAuth2AuthenticationException oauth
                ? oauth.getError().getErrorCode()
                : failure instanceof OAuth2AuthorizationException other
                        ? other.getError().getErrorCode()
                        : "";
        return new SignInFailedException(
                SignInProblem.REFUSED,
                "the server's answer is not valid (" + code.replaceAll("[^a-zA-Z0-9_.-]", "?") + ")",
                failure);
    }

    private static String text(OAuth2AuthorizationRequest request, String attribute) {
        return Objects.requireNonNull(request.<String>getAttribute(attribute));
    }
}
