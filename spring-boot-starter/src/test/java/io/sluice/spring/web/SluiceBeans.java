package io.sluice.spring.web;

import io.sluice.core.Limiter;
import io.sluice.core.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.rules.CallerAddress;
import io.sluice.rules.Evaluator;
import io.sluice.rules.ForwardingHeader;
import io.sluice.rules.KeyForm;
import io.sluice.rules.Network;
import io.sluice.rules.PathForm;
import io.sluice.rules.RefusalBody;
import io.sluice.rules.RuleDocument;
import io.sluice.rules.RuleSet;
import io.sluice.rules.TrustedProxies;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What the starter's own configuration makes, in process, with rules and proxies of a test. */
@Configuration(proxyBeanMethods = false)
class SluiceBeans {

    /** Given as it is: properties would have their placeholders filled in. */
    record RuleText(String text) {}

    @Bean
    Evaluator evaluator(RuleText rules, @Value("${test.broken:false}") boolean broken, Clock clock) {
        return broken
                ? new Evaluator(
                        () -> {
                            throw new IllegalStateException("boom");
                        },
                        Limiter.inProcess(),
                        null,
                        KeyForm.ofThisProcess(),
                        clock,
                        (ruling, nanos) -> {})
                : evaluatorOf(rules.text(), clock);
    }

    static Evaluator evaluatorOf(String rules, Clock clock) {
        RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("test", rules)).rules());
        Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
        return new Evaluator(() -> set, limiter, null, KeyForm.ofThisProcess(), clock, (ruling, nanos) -> {});
    }

    @Bean
    CallerAddress callers(@Value("${test.trusted:}") String trusted) {
        return trusted.isEmpty()
                ? CallerAddress.ofPeer()
                : new CallerAddress(
                        new TrustedProxies.Within(List.of(Network.parse(trusted))),
                        List.of(ForwardingHeader.X_FORWARDED_FOR));
    }

    @Bean
    PathForm paths() {
        return PathForm.STRICT;
    }

    @Bean
    RefusalBody refusals() {
        return RefusalBody.PROBLEM;
    }
}
