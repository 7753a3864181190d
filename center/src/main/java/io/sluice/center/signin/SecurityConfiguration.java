package io.sluice.center.signin;

import io.sluice.center.http.BodyReader;
import io.sluice.center.http.Problem;
import io.sluice.core.time.Clock;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.csrf.CsrfFilter;
import org.springframework.security.web.csrf.CsrfTokenRequestAttributeHandler;
import org.springframework.security.web.firewall.RequestRejectedHandler;
import org.springframework.security.web.header.writers.CrossOriginOpenerPolicyHeaderWriter.CrossOriginOpenerPolicy;
import org.springframework.security.web.header.writers.CrossOriginResourcePolicyHeaderWriter.CrossOriginResourcePolicy;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;

/** The security of every request: its caller, the page that it comes from, and its admission by the table of endpoints. */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
public final class SecurityConfiguration {

    /** The position after the filter that refuses unreadable paths. */
    private static final int ORDER = 1;

    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

    @Bean
    DelegatingFilterProxyRegistrationBean securityFilter() {
        DelegatingFilterProxyRegistrationBean filter =
                new DelegatingFilterProxyRegistrationBean("springSecurityFilterChain");
        filter.setOrder(ORDER);
        filter.setAsyncSupported(true);
        return filter;
    }

    /** Answers requests whose address hides another address. */
    @Bean
    RequestRejectedHandler rejected() {
        return (request, response, failure) -> Problem.write(
                response,
                HttpServletResponse.SC_BAD_REQUEST,
                "Bad Request",
                "path: in a form that the center does not accept (expected: no ;, \\, // or encoded / in it)");
    }

    @Bean
    SessionCookie sessionCookie(SignInParts parts) {
        return new SessionCookie(parts.address());
    }

    @Bean
    SessionStart sessionStart(SignInParts parts, SessionCookie cookie) {
        return new SessionStart(parts.people(), cookie);
    }

    /** Returns the throttle of the center. The center opened it and also closes it. */
    @Bean(destroyMethod = "")
    SignInThrottle signInThrottle(SignInParts parts) {
        return parts.throttle();
    }

    @Bean
    Passwords passwords(SignInParts parts) {
        return parts.passwords();
    }

    @Bean
    PasswordSignIn passwordSignIn(
            SignInParts parts, RefusedRequests refused, ObjectProvider<PasswordDirectory> directories) {
        return new PasswordSignIn(
                parts.people(),
                parts.passwords(),
                parts.throttle(),
                refused,
                directories.orderedStream().toList());
    }

    @Bean
    RefusedRequests refusedRequests(SignInParts parts, SessionCookie cookie) {
        return new RefusedRequests(parts, cookie);
    }

    @Bean
    SecurityFilterChain chain(HttpSecurity http, SignInParts parts, SessionCookie cookie, RefusedRequests refused) {
        Refusals refusals = new Refusals(refused);
        TableAuthorization table = new TableAuthorization(clock(parts.clock()));
        Credentials credentials = new Credentials(parts, cookie);
        http.securityContext(
                        context -> context.securityContextRepository(new RequestAttributeSecurityContextRepository()))
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .requestCache(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .formLogin(AbstractHttpConfigurer::disable)
                .httpBasic(AbstractHttpConfigurer::disable)
                .csrf(csrf -> csrf.csrfTokenRepository(new SessionCsrf(cookie))
                        .csrfTokenRequestHandler(new CsrfTokenRequestAttributeHandler())
                        .requireCsrfProtectionMatcher(request -> !OriginFilter.READING.contains(request.getMethod())
                                && request.getHeader("Authorization") == null
                                && cookie.read(request).isPresent()))
                .addFilterBefore(new OriginFilter(parts.address(), refused), CsrfFilter.class)
                .addFilterBefore(new CredentialFilter(credentials), AuthorizationFilter.class)
                .addFilterAfter(
                        new BodyFilter(credentials, table, new BodyReader(parts.clock()::nanoTime)),
                        AuthorizationFilter.class)
                .addFilterAfter(new CallerFilter(table), BodyFilter.class)
                .authorizeHttpRequests(requests -> requests.anyRequest().access(table))
                .exceptionHandling(
                        failures -> failures.authenticationEntryPoint(refusals).accessDeniedHandler(refusals))
                .headers(headers -> headers.contentSecurityPolicy(policy -> policy.policyDirectives(POLICY))
                        .referrerPolicy(referrer -> referrer.policy(ReferrerPolicy.SAME_ORIGIN))
                        .frameOptions(frame -> frame.deny())
                        .crossOriginOpenerPolicy(opener -> opener.policy(CrossOriginOpenerPolicy.SAME_ORIGIN))
                        .crossOriginResourcePolicy(resource -> resource.policy(CrossOriginResourcePolicy.SAME_ORIGIN))
                        .permissionsPolicyHeader(permissions -> permissions.policy("camera=(), geolocation=(),"
                                + " microphone=(), payment=(), publickey-credentials-create=(self),"
                                + " publickey-credentials-get=(self)"))
                        .httpStrictTransportSecurity(strict -> strict.maxAgeInSeconds(31_536_000)
                                .includeSubDomains(false)
                                .requestMatcher(request -> parts.address().get().isStrict())));
        return http.build();
    }

    /** Returns the center's clock in the form of the JDK. */
    public static java.time.Clock clock(Clock clock) {
        return new java.time.Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public java.time.Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return Instant.ofEpochMilli(clock.epochMicros() / 1000);
            }
        };
    }
}
