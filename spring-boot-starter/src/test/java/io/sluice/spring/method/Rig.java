package io.sluice.spring.method;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.reserve.Reservation;
import io.sluice.rules.reserve.SettledLimit;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.boot.method.MethodLimitAutoConfiguration;
import io.sluice.testkit.QuietClock;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application with limits in process, a stopped clock, and rules and a request that the test chooses. */
final class Rig {

    final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    final List<Ruling.Settled> told = new CopyOnWriteArrayList<>();
    final List<SettledLimit> settled = new CopyOnWriteArrayList<>();

    /** The reasons for which reservations stand. */
    final List<String> standing = new CopyOnWriteArrayList<>();

    volatile RuleSet rules = RuleSet.none();
    volatile Optional<CurrentRequest> request = Optional.empty();

    final Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
    final Evaluator evaluator =
            new Evaluator(() -> rules, limiter, null, KeySettings.ofThisProcess(), clock, new Listener());

    private final class Listener implements RulingListener {

        @Override
        public void ruled(Ruling.Settled ruling, long elapsedNanos) {
            told.add(ruling);
        }

        @Override
        public void settled(SettledLimit limit) {
            settled.add(limit);
        }

        @Override
        public void unsettled(Reservation reservation, String reason) {
            standing.add(reason);
        }
    }

    ApplicationContextRunner runner(Class<?>... beans) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(MethodLimitAutoConfiguration.class))
                .withBean(Evaluator.class, () -> evaluator)
                .withBean(io.sluice.core.time.Clock.class, () -> clock)
                .withBean(CurrentRequest.Finder.class, () -> () -> request)
                .withUserConfiguration(beans);
    }

    void inForce(String text) {
        RuleDocument document = RuleDocument.parse("test.yaml", text);
        if (!(document instanceof RuleDocument.Accepted accepted)) {
            throw new AssertionError(document);
        }
        rules = new RuleSet(rules.version() + 1, accepted.rules());
    }

    static Optional<CurrentRequest> request(Map<String, String> attributes) {
        return Optional.of(new CurrentRequest() {
            @Override
            public String attribute(String name) {
                return attributes.get(name);
            }

            @Override
            public Principal principal() {
                String user = attributes.get("user");
                return user == null ? null : () -> user;
            }
        });
    }
}
