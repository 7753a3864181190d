package io.sluice.examples.tenants;

import io.sluice.spring.web.IdentityResolver;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.security.web.SecurityFilterChain;

@Configuration(proxyBeanMethods = false)
class Security {

    /**
     * Provides the attributes that rules see for a caller. Sluice calls it after Spring Security has authenticated the caller,
     * and trusts the result.
     */
    @Bean
    IdentityResolver identities() {
        return principal -> principal instanceof Authentication login && login.getPrincipal() instanceof Member member
                ? Map.of("user", member.getUsername(), "tenant", member.tenant(), "plan", member.plan())
                : Map.of();
    }

    @Bean
    SecurityFilterChain chain(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/actuator/**")
                        .hasRole("OPERATOR")
                        .anyRequest()
                        .authenticated())
                .httpBasic(Customizer.withDefaults())
                .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .csrf(csrf -> csrf.disable())
                .build();
    }

    /**
     * A stand-in for a real user store, which would hash the passwords. It creates a new object each time, because Spring
     * Security erases the password after use.
     */
    @Bean
    UserDetailsService members() {
        return name -> switch (name) {
            case "ann", "abe" -> new Member(name, "{noop}secret", "USER", "acme", "free");
            case "bob" -> new Member(name, "{noop}secret", "USER", "bolt", "vip");
            case "cid" -> new Member(name, "{noop}secret", "USER", "city", "free");
            case "olga" -> new Member(name, "{noop}secret", "OPERATOR", "ours", "free");
            default -> throw new UsernameNotFoundException(name);
        };
    }
}
