package io.sluice.rules.review;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.TokenBucket;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.SeededRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Generates small rule sets with few words and low numbers, so that scopes often cover each other and limits often refuse. */
final class SmallRules {

    static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");

    private final SeededRandom random;

    /** The limits of a set are similar, so that they can be compared. */
    private int algorithm;

    private List<By> by = List.of();

    SmallRules(SeededRandom random) {
        this.random = random;
    }

    RuleSet set() {
        algorithm = random.nextInt(7);
        by = random.oneOf(List.of(), List.of(By.attribute("user")), List.of(By.attribute("ip")));
        List<Rule> rules = new ArrayList<>();
        for (int i = 2 + random.nextInt(4); i > 0; i--) {
            rules.add(rule("r" + i));
        }
        return new RuleSet(1, rules);
    }

    /** Generates a request, often one that the rule matches. */
    Map<String, String> request(Rule rule) {
        Map<String, String> request = new HashMap<>();
        put(request, "service", random.oneOf("a", "b"));
        put(request, "path", random.oneOf("/a", "/a/b", "/a/b/c", "/b", "/"));
        put(request, "method", random.oneOf("GET", "HEAD", "post"));
        put(request, "ip", random.oneOf("10.0.0.1", "10.0.1.1", "10.1.0.1", "192.0.2.1", "2001:db8::1"));
        put(request, "user", random.oneOf("u1", "u2", "v"));
        put(request, "answer.status", "401");
        if (random.nextInt(3) > 0) {
            ScopePart.of(rule.scope())
                    .forEach(part -> request.put(part.attribute(), part.example(text -> random.nextInt())));
        }
        return request;
    }

    /** Returns a rule with other limits and overrides. */
    static Rule rule(Rule rule, List<RuleLimit> limits, List<LimitOverride> overrides) {
        return new Rule(
                rule.id(),
                rule.enabled(),
                rule.action(),
                rule.scope(),
                rule.shadow(),
                limits,
                rule.candidate(),
                overrides,
                rule.handling(),
                rule.use(),
                rule.about(),
                rule.protocol());
    }

    private Rule rule(String id) {
        Action action = random.oneOf(Action.LIMIT, Action.LIMIT, Action.LIMIT, Action.EXEMPT, Action.DENY);
        List<RuleLimit> limits = action == Action.LIMIT ? limits(id) : List.of();
        List<LimitOverride> overrides = action == Action.LIMIT ? overrides(limits) : List.of();
        boolean shadow = action == Action.LIMIT && random.nextInt(8) == 0;
        Scope scope = scope();
        for (RuleUse use : random.nextBoolean() ? List.of(RuleUse.EARLY, RuleUse.REQUESTS) : List.of(any())) {
            try {
                return new Rule(
                        id,
                        random.nextInt(8) > 0,
                        action,
                        scope,
                        shadow,
                        limits,
                        List.of(),
                        overrides,
                        Handling.DEFAULT,
                        use,
                        RuleDescription.NOTHING,
                        Optional.empty());
            } catch (IllegalArgumentException e) {
                // Not a legal early rule.
            }
        }
        return rule(id);
    }

    private RuleUse any() {
        return random.nextInt(8) == 0 ? RuleUse.CODE : RuleUse.REQUESTS;
    }

    private Scope scope() {
        Map<String, Condition> match = new HashMap<>();
        if (random.nextInt(4) == 0) {
            match.put("ip", condition("ip", "10.0.0.0/8", "10.0.0.0/16", "10.0.0.1", "0.0.0.0/0", "192.0.2.1"));
        }
        if (random.nextInt(6) == 0) {
            match.put("user", user());
        }
        if (random.nextInt(12) == 0) {
            match.put("answer.status", condition("answer.status", "401", "4*"));
        }
        PathPattern resource = random.nextInt(3) > 0
                ? null
                : PathPattern.of(random.oneOf("/**", "/a/**", "/a/{x}", "/a/b", "/a", "/a/b/**"));
        Set<String> methods = random.nextInt(4) > 0 ? Set.of() : random.oneOf(Set.of("GET"), Set.of("GET", "POST"));
        return new Scope(random.nextInt(5) == 0 ? random.oneOf("a", "b") : null, resource, methods, match);
    }

    private Condition user() {
        return condition("user", "u1", "u2", "u*", "*", "v");
    }

    private Condition condition(String attribute, String... values) {
        List<String> some = new ArrayList<>(List.of(random.oneOf(values)));
        if (random.nextInt(3) == 0) {
            some.add(random.oneOf(values));
        }
        return Condition.parse(attribute, some);
    }

    private List<RuleLimit> limits(String rule) {
        List<RuleLimit> limits = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            LimitName name = LimitName.live(rule, Optional.of("l" + i), i);
            List<By> own = random.nextInt(6) == 0 ? List.of() : by;
            AbsentPolicy absent = random.nextInt(3) > 0 ? AbsentPolicy.IP : random.oneOf(AbsentPolicy.values());
            limits.add(new RuleLimit(name.reported(), limit(name.counted()), own, absent, Privacy.PLAIN));
        }
        return limits;
    }

    private Limit limit(String name) {
        Limit.Named named = Limit.named(name);
        Duration window = Duration.ofSeconds(random.oneOf(1, 2, 3));
        int number = random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(5);
        return switch (random.nextInt(8) == 0 ? random.nextInt(7) : algorithm) {
            case 0 -> named.tokenBucket(Rate.perSecond(number)).withBurst(1 + random.nextInt(4));
            case 1 ->
                named.tokenBucket(new Rate(number, Duration.ofMillis(random.oneOf(1_000, 1_500, 700))))
                        .withBurst(2)
                        .withMaxWait(Duration.ofMillis(random.oneOf(0, 300, 600)));
            case 2 -> named.leakyBucket(Rate.perSecond(random.oneOf(1, 2))).withCapacity(number);
            case 3 -> named.fixedWindow(number, window);
            case 4 -> sliding(named, number, window);
            case 5 -> named.slidingLog(number, window);
            default -> named.concurrency(number, window);
        };
    }

    private Limit sliding(Limit.Named named, int number, Duration window) {
        return random.nextBoolean()
                ? named.slidingWindow(number, window)
                : named.slidingWindow(number, window).asEstimate();
    }

    private List<LimitOverride> overrides(List<RuleLimit> limits) {
        List<LimitOverride> overrides = new ArrayList<>();
        for (int i = random.nextInt(3) > 0 ? 0 : 1 + random.nextInt(3); i > 0; i--) {
            int of = random.nextInt(limits.size());
            Limit numbers = otherNumbers(limits.get(of).limit());
            Map<String, Condition> when = random.nextBoolean()
                    ? Map.of("user", user())
                    : Map.of("ip", condition("ip", "10.0.0.0/8", "10.0.0.1", "192.0.2.1"));
            Optional<Instant> until =
                    random.nextBoolean() ? Optional.empty() : Optional.of(NOW.plusSeconds(random.oneOf(-5, 0, 3, 8)));
            overrides.add(new LimitOverride(when, of, numbers, until));
        }
        return overrides;
    }

    private Limit otherNumbers(Limit limit) {
        if (limit instanceof SlidingLog log && random.nextBoolean()) {
            return Limit.named(log.name()).slidingLog(log.limit() + 3, log.window());
        }
        if (limit instanceof TokenBucket bucket && random.nextBoolean()) {
            return bucket.withBurst(bucket.burst() + 3);
        }
        return limit.scaled(random.oneOf(1.0, 0.4));
    }

    private void put(Map<String, String> request, String name, String value) {
        if (random.nextInt(6) > 0) {
            request.put(name, value);
        }
    }
}
