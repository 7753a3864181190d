package io.sluice.spring.internal;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.http.answer.RefusalBody;
import io.sluice.http.request.CallerAddress;
import io.sluice.redis.RedisStore;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.pattern.PathForm;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Beans that decide, for tests: by the rules in {@code test.rules}, in process or in the Redis at {@code test.redis}. */
@Configuration(proxyBeanMethods = false)
public class EngineBeans {

    @Bean
    RulesOfTest rulesOfTest(Environment environment) {
        return new RulesOfTest(environment.getProperty("test.rules", "rules: []"));
    }

    @Bean
    Evaluator evaluator(
            RulesOfTest rules,
            ObjectProvider<Clock> clocks,
            ObjectProvider<RedisStore> redis,
            ObjectProvider<Settlements> settlements) {
        Clock clock = clocks.getObject();
        RedisStore store = redis.getIfAvailable();
        LocalEngine counts = new LocalEngine(clock);
        rules.countedBy(counts);
        RulingListener told = settlements.getIfAvailable();
        RulingListener listener = told == null ? (ruling, nanos) -> {} : told;
        return new Evaluator(
                rules::set,
                new Limiter(counts, clock, List.of()),
                store == null ? null : new Limiter(store.engine(), clock, List.of()),
                KeySettings.ofThisProcess(),
                clock,
                listener);
    }

    @Bean
    CallerAddress callers() {
        return CallerAddress.ofPeer();
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
