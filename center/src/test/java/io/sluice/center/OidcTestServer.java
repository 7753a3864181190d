package io.sluice.center;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.net.URI;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configuration.OAuth2AuthorizationServerConfiguration;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.core.oidc.endpoint.OidcParameterNames;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClient;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClientRepository;
import org.springframework.security.oauth2.server.authorization.settings.AuthorizationServerSettings;
import org.springframework.security.oauth2.server.authorization.settings.ClientSettings;
import org.springframework.security.oauth2.server.authorization.settings.TokenSettings;
import org.springframework.security.oauth2.server.authorization.token.JwtEncodingContext;
import org.springframework.security.oauth2.server.authorization.token.OAuth2TokenCustomizer;
import org.springframework.security.web.SecurityFilterChain;

/** A real authorization server, on a port of its own. It can be away for a while. */
final class OidcTestServer implements AutoCloseable {

    static final String PASSWORD = "correct horse";
    static final String SECRET = "a secret of the client";

    private final Directory directory = new Directory();
    private int port;
    private @Nullable ConfigurableApplicationContext context;

    private OidcTestServer() {}

    /** People and clients, which survive a restart. */
    static final class Directory {

        final Map<String, Map<String, Object>> people = new ConcurrentHashMap<>();
        final RSAKey key = RsaKeys.FIRST;
        volatile @Nullable RegisteredClient client;
    }

    /** Starts a server on a free port. */
    static OidcTestServer open() {
        System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
        OidcTestServer server = new OidcTestServer();
        server.start();
        server.port = Objects.requireNonNull(
                        ((WebServerApplicationContext) Objects.requireNonNull(server.context)).getWebServer())
                .getPort();
        return server;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    @ImportAutoConfiguration({
        TomcatServletWebServerAutoConfiguration.class,
        DispatcherServletAutoConfiguration.class,
        WebMvcAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class
    })
    static class Application {

        @Bean
        DelegatingFilterProxyRegistrationBean securityFilter() {
            return new DelegatingFilterProxyRegistrationBean("springSecurityFilterChain");
        }

        @Bean
        SecurityFilterChain chain(HttpSecurity http) {
            return http.oauth2AuthorizationServer(server -> server.oidc(Customizer.withDefaults()))
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .formLogin(Customizer.withDefaults())
                    .build();
        }

        @Bean
        AuthorizationServerSettings settings() {
            return AuthorizationServerSettings.builder().build();
        }

        /** Passwords of tests need no hash. */
        @Bean
        PasswordEncoder passwords() {
            return new PasswordEncoder() {
                @Override
                public String encode(CharSequence password) {
                    return password.toString();
                }

                @Override
                public boolean matches(CharSequence password, String encoded) {
                    return encoded.contentEquals(password);
                }
            };
        }

        @Bean
        UserDetailsService users(Directory directory) {
            return name -> {
                if (!directory.people.containsKey(name)) {
                    throw new UsernameNotFoundException(name);
                }
                return User.withUsername(name).password(PASSWORD).roles("USER").build();
            };
        }

        @Bean
        RegisteredClientRepository clients(Directory directory) {
            return new RegisteredClientRepository() {
                @Override
                public void save(RegisteredClient client) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public @Nullable RegisteredClient findById(String id) {
                    return directory.client;
                }

                @Override
                public @Nullable RegisteredClient findByClientId(String id) {
                    return id.equals("sluice") ? directory.client : null;
                }
            };
        }

        @Bean
        JWKSource<SecurityContext> keys(Directory directory) {
            return new ImmutableJWKSet<>(new JWKSet(directory.key));
        }

        @Bean
        JwtDecoder decoder(JWKSource<SecurityContext> keys) {
            return OAuth2AuthorizationServerConfiguration.jwtDecoder(keys);
        }

        @Bean
        OAuth2TokenCustomizer<JwtEncodingContext> claims(Directory directory) {
            return context -> {
                if (context.getTokenType().getValue().equals(OidcParameterNames.ID_TOKEN)) {
                    context.getClaims().claims(claims -> {
                        claims.remove("auth_time");
                        claims.putAll(Objects.requireNonNull(
                                directory.people.get(context.getPrincipal().getName())));
                    });
                }
            };
        }
    }

    URI issuer() {
        return URI.create("http://localhost:" + port);
    }

    /** Adds a person, or replaces what the server says about her. */
    void person(String name, Map<String, Object> claims) {
        directory.people.put(name, Map.copyOf(claims));
    }

    /** Registers a center. */
    void client(URI publicUrl, String... servers) {
        register(registration(publicUrl, servers));
    }

    /** Registers a center that gets refresh tokens, each for one use. */
    void refreshingClient(URI publicUrl, String... servers) {
        register(registration(publicUrl, servers)
                .authorizationGrantType(AuthorizationGrantType.REFRESH_TOKEN)
                .tokenSettings(TokenSettings.builder().reuseRefreshTokens(false).build()));
    }

    private void register(RegisteredClient.Builder client) {
        directory.client = client.build();
    }

    private static RegisteredClient.Builder registration(URI publicUrl, String... servers) {
        RegisteredClient.Builder client = RegisteredClient.withId(
                        UUID.randomUUID().toString())
                .clientId("sluice")
                .clientSecret(SECRET)
                .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
                .authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
                .scope("openid")
                .scope("email")
                .scope("profile")
                .clientSettings(ClientSettings.builder()
                        .requireProofKey(true)
                        .requireAuthorizationConsent(false)
                        .build());
        for (String server : servers) {
            client.redirectUri(publicUrl + "/sign-in/oidc/" + server + "/callback");
        }
        return client;
    }

    /** Returns a token with the signature of the server. */
    String signed(Map<String, Object> claims, String type) throws JOSEException {
        JWTClaimsSet.Builder set = new JWTClaimsSet.Builder();
        claims.forEach((name, value) -> set.claim(name, value instanceof Instant at ? Date.from(at) : value));
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256)
                        .type(new JOSEObjectType(type))
                        .keyID("first")
                        .build(),
                set.build());
        token.sign(new RSASSASigner(directory.key));
        return token.serialize();
    }

    /** Starts it again on its port. */
    void start() {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .properties(Map.of(
                        "server.address",
                        "127.0.0.1",
                        "server.port",
                        port,
                        "server.servlet.session.cookie.name",
                        "corp_session",
                        "spring.main.register-shutdown-hook",
                        false,
                        "spring.jmx.enabled",
                        false))
                .initializers(
                        started -> ((GenericApplicationContext) started).registerBean(Directory.class, () -> directory))
                .run();
    }

    void stop() {
        if (context != null) {
            context.close();
        }
        context = null;
    }

    @Override
    public void close() {
        stop();
    }
}
