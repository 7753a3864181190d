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
     * What rules know of a caller. Sluice asks once Spring Security has verified who it is; what this returns counts as
     * proven.
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
     * Stands for wherever users are kept; there passwords are hashed. A new object each time, since its password is erased
     * after use.
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
