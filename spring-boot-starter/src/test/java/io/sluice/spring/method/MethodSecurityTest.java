package io.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.RateLimited;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.method.configuration.EnableReactiveMethodSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** Limits run inside method security and outside of transactions, caches and the like. */
final class MethodSecurityTest {

    private static final Authentication ADMIN = new TestingAuthenticationToken("root", "", "ROLE_ADMIN");
    private static final Authentication GUEST = new TestingAuthenticationToken("guest", "", "ROLE_GUEST");

    private final Rig rig = new Rig();

    @AfterEach
    void signOut() {
        SecurityContextHolder.clearContext();
    }

    static class Admin {

        @RateLimited(limit = "2", window = "1h")
        @PreAuthorize("hasRole('ADMIN')")
        public String wipe() {
            return "wiped";
        }

        @RateLimited(limit = "1", window = "1h", fallback = "others")
        @PostAuthorize("returnObject == 'own'")
        public String report() {
            return "own";
        }

        String others() {
            return "of somebody else";
        }
    }

    static class ReactiveAdmin {

        @RateLimited(limit = "2", window = "1h")
        @PreAuthorize("hasRole('ADMIN')")
        public Mono<String> wipe() {
            return Mono.just("wiped");
        }

        @RateLimited(limit = "2", window = "1h")
        @PreAuthorize("hasRole('ADMIN')")
        public Flux<String> list() {
            return Flux.just("a", "b");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class Secured {

        @Bean
        Admin admin() {
            return new Admin();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity(offset = 10_000)
    static class SecuredLater {

        @Bean
        Admin admin() {
            return new Admin();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableReactiveMethodSecurity
    static class ReactiveSecured {

        @Bean
        ReactiveAdmin admin() {
            return new ReactiveAdmin();
        }
    }

    /** Stands for transactions, caches and all other advice that has the default order. */
    @Configuration(proxyBeanMethods = false)
    static class Transactions {

        final AtomicInteger begun = new AtomicInteger();

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        Advisor transactions() {
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                    AnnotationMatchingPointcut.forMethodAnnotation(RateLimited.class),
                    (MethodInterceptor) invocation -> {
                        begun.incrementAndGet();
                        return invocation.proceed();
                    });
            advisor.setOrder(Ordered.LOWEST_PRECEDENCE);
            return advisor;
        }
    }

    @Test
    void anUnauthorisedCallerLeavesTheCountUntouched() {
        for (Class<?> security : List.of(Secured.class, SecuredLater.class)) {
            Rig fresh = new Rig();
            fresh.runner(security).run(context -> {
                Admin admin = context.getBean(Admin.class);
                SecurityContextHolder.getContext().setAuthentication(GUEST);
                for (int i = 0; i < 5; i++) {
                    assertThatThrownBy(admin::wipe).isInstanceOf(AccessDeniedException.class);
                }
                assertThat(fresh.told).isEmpty();

                SecurityContextHolder.getContext().setAuthentication(ADMIN);
                assertThat(admin.wipe()).isEqualTo("wiped");
                assertThat(admin.wipe()).isEqualTo("wiped");
                assertThatThrownBy(admin::wipe).isInstanceOf(RateLimitExceededException.class);

                SecurityContextHolder.getContext().setAuthentication(GUEST);
                assertThatThrownBy(admin::wipe).isInstanceOf(AccessDeniedException.class);
            });
        }
    }

    @Test
    void anUnauthorisedSubscriberLeavesTheCountUntouched() {
        rig.runner(ReactiveSecured.class).run(context -> {
            ReactiveAdmin admin = context.getBean(ReactiveAdmin.class);
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> admin.wipe().contextWrite(as(GUEST)).block())
                        .isInstanceOf(AccessDeniedException.class);
                assertThatThrownBy(() -> admin.list().contextWrite(as(GUEST)).blockLast())
                        .isInstanceOf(AccessDeniedException.class);
            }
            assertThat(rig.told).isEmpty();

            assertThat(admin.wipe().contextWrite(as(ADMIN)).block()).isEqualTo("wiped");
            assertThat(admin.list().contextWrite(as(ADMIN)).collectList().block())
                    .containsExactly("a", "b");
        });
    }

    @Test
    void everySubscriptionBehindMethodSecurityIsLimited() {
        rig.runner(ReactiveSecured.class).run(context -> {
            ReactiveAdmin admin = context.getBean(ReactiveAdmin.class);
            Mono<String> wiping = admin.wipe().contextWrite(as(ADMIN));
            assertThat(wiping.block()).isEqualTo("wiped");
            assertThat(wiping.block()).isEqualTo("wiped");
            assertThatThrownBy(wiping::block).isInstanceOf(RateLimitExceededException.class);
            assertThatThrownBy(wiping::block).isInstanceOf(RateLimitExceededException.class);

            Flux<String> listing = admin.list().contextWrite(as(ADMIN));
            assertThat(listing.repeat(1).collectList().block()).hasSize(4);
            assertThatThrownBy(listing::blockLast).isInstanceOf(RateLimitExceededException.class);
        });
    }

    @Test
    void whatAFallbackReturnsIsAuthorisedToo() {
        rig.runner(Secured.class).run(context -> {
            Admin admin = context.getBean(Admin.class);
            SecurityContextHolder.getContext().setAuthentication(GUEST);
            assertThat(admin.report()).isEqualTo("own");
            assertThatThrownBy(admin::report).isInstanceOf(AccessDeniedException.class);
        });
    }

    @Test
    void aRefusedCallBeginsNoTransaction() {
        rig.runner(Secured.class, Transactions.class).run(context -> {
            Admin admin = context.getBean(Admin.class);
            SecurityContextHolder.getContext().setAuthentication(ADMIN);
            admin.wipe();
            admin.wipe();
            assertThatThrownBy(admin::wipe).isInstanceOf(RateLimitExceededException.class);
            assertThat(context.getBean(Transactions.class).begun).hasValue(2);
        });
    }

    @Test
    void anApplicationCanMoveTheLimitsBeforeMethodSecurity() {
        rig.runner(Secured.class)
                .withPropertyValues("sluice.annotations.order=0")
                .run(context -> {
                    Admin admin = context.getBean(Admin.class);
                    SecurityContextHolder.getContext().setAuthentication(GUEST);
                    assertThatThrownBy(admin::wipe).isInstanceOf(AccessDeniedException.class);
                    assertThatThrownBy(admin::wipe).isInstanceOf(AccessDeniedException.class);
                    assertThatThrownBy(admin::wipe).isInstanceOf(RateLimitExceededException.class);
                });
    }

    private static Context as(Authentication caller) {
        return ReactiveSecurityContextHolder.withAuthentication(caller);
    }
}
