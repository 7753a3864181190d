package io.sluice.spring.web;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.http.answer.RefusalBody;
import io.sluice.http.request.CallerAddress;
import io.sluice.http.request.ForwardingHeader;
import io.sluice.http.request.TrustedProxies;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.Network;
import io.sluice.rules.pattern.PathForm;
import io.sluice.spring.internal.RulesOfTest;
import io.sluice.spring.internal.Settlements;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The beans of the starter's own configuration, in process, with the rules and proxies of a test. The rules are given as they are,
 * because placeholders in properties would be resolved.
 */
@Configuration(proxyBeanMethods = false)
class SluiceBeans {

    @Bean
    Evaluator evaluator(
            RulesOfTest rules,
            @Value("${test.broken:false}") boolean broken,
            Clock clock,
            ObjectProvider<Settlements> settlements) {
        RulingListener told = settlements.getIfAvailable();
        return broken
                ? new Evaluator(
                        () -> {
                            throw new IllegalStateException("boom");
                        },
                        Limiter.inProcess(),
                        null,
                        KeySettings.ofThisProcess(),
                        clock,
                        (ruling, nanos) -> {})
                : evaluatorOf(rules, clock, told == null ? (ruling, nanos) -> {} : told);
    }

    static Evaluator evaluatorOf(String rules, Clock clock) {
        return evaluatorOf(new RulesOfTest(rules), clock, (ruling, nanos) -> {});
    }

    private static Evaluator evaluatorOf(RulesOfTest rules, Clock clock, RulingListener listener) {
        LocalEngine counts = new LocalEngine(clock);
        rules.countedBy(counts);
        Limiter limiter = new Limiter(counts, clock, List.of());
        return new Evaluator(rules::set, limiter, null, KeySettings.ofThisProcess(), clock, listener);
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
