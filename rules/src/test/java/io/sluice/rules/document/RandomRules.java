package io.sluice.rules.document;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.LeakyBucket;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.limit.SlidingLog;
import io.sluice.core.limit.SlidingWindow;
import io.sluice.core.limit.TokenBucket;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.cost.AnswerAttribute;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.cost.Cost.Settling;
import io.sluice.rules.cost.Keep;
import io.sluice.rules.cost.Reserve;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Lease;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Message;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.model.Scope;
import io.sluice.rules.model.UnreadPolicy;
import io.sluice.rules.pattern.PathPattern;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/** Generates any legal rule from a seed. */
public final class RandomRules {

    private static final String LETTERS = "abcXYZ019-_";
    private static final String ANYTHING = "ab*?\\\"'#:{}[]&!|>%@`, ~-=/äß中\u00a0\u0085\u2028\ud83d";

    private final Random random;

    public RandomRules(Random random) {
        this.random = random;
    }

    public Rule next() {
        String id = word(1 + random.nextInt(20), LETTERS + ".");
        Action action = maybe(6) ? Action.DENY : maybe(6) ? Action.EXEMPT : Action.LIMIT;
        List<RuleLimit> limits = new ArrayList<>();
        List<RuleLimit> candidate = new ArrayList<>();
        List<LimitOverride> overrides = new ArrayList<>();
        Handling handling = Handling.DEFAULT;
        if (action == Action.LIMIT) {
            handling = handling();
            boolean shared = handling.mode() != Mode.LOCAL;
            limits = limits(id, 1 + random.nextInt(4), false, shared);
            candidate = limits(id, random.nextInt(3), true, shared);
            overrides = overrides(limits);
        }
        boolean shadow = action == Action.LIMIT && maybe(4);
        Rule rule = new Rule(id, !maybe(4), action, scope(), shadow, limits, candidate, overrides, handling, about());
        return maybe(6) ? of(rule, RuleUse.CODE) : maybe(2) && rule.isEarly() ? of(rule, RuleUse.EARLY) : rule;
    }

    private static Rule of(Rule rule, RuleUse use) {
        return new Rule(
                rule.id(),
                rule.enabled(),
                rule.action(),
                rule.scope(),
                rule.shadow(),
                rule.limits(),
                rule.candidate(),
                rule.overrides(),
                rule.handling(),
                use,
                rule.about(),
                rule.protocol());
    }

    private List<RuleLimit> limits(String rule, int count, boolean candidate, boolean shared) {
        List<RuleLimit> limits = new ArrayList<>();
        Set<String> counts = new HashSet<>();
        while (limits.size() < count) {
            Optional<String> own =
                    optional(() -> word(1 + random.nextInt(8), LETTERS)).filter(LimitName::isLegal);
            LimitName name = candidate
                    ? LimitName.candidate(rule, own, limits.size())
                    : LimitName.live(rule, own, limits.size());
            List<By> by = by();
            Limit limit = limit(name.counted());
            List<String> attributes = by.stream().map(By::attribute).toList();
            boolean fresh = counts.add(limit.name() + " " + limit.shape() + attributes);
            boolean ownFresh = own.isEmpty() || counts.add(own.get());
            if (fresh && ownFresh) {
                boolean counted = !by.isEmpty();
                limits.add(new RuleLimit(
                        name.reported(),
                        limit,
                        by,
                        counted ? pick(AbsentPolicy.values()) : AbsentPolicy.IP,
                        pick(UnreadPolicy.values()),
                        counted ? pick(Privacy.values()) : Privacy.PLAIN,
                        cost(limit),
                        shared && maybe(2) && limit instanceof FixedWindow fixed && fixed.calendar() != null));
            }
        }
        return limits;
    }

    private Optional<Cost> cost(Limit limit) {
        if (maybe(2) || limit instanceof Concurrency || limit instanceof LeakyBucket) {
            return Optional.empty();
        }
        if (maybe(4) && limit.maxWaitMicros() == 0) {
            return Optional.of(new Cost.Always());
        }
        Optional<Settling> settling = optional(() -> new Settling(
                AnswerAttribute.parse(pick(new String[] {
                    "answer.json.usage.total_tokens", "answer.json.中.~", "answer.header.X-Tokens", "answer.status"
                })),
                maybe(2) ? Settling.DEFAULT_WITHIN : Duration.ofMillis(1_000 + random.nextInt(86_399_000))));
        long permits = maybe(4) ? Limit.MAX_PERMITS : 1 + random.nextInt(5_000);
        Reserve reserve = maybe(3)
                ? new Reserve.Fixed(maybe(4) && settling.isPresent() ? 0 : permits)
                : new Reserve.Attribute(
                        pick(new String[] {"json.max_tokens", "header.x-a", "5", "true", "~", "-1", "null"}),
                        maybe(2) ? OptionalLong.of(permits) : OptionalLong.empty());
        return Optional.of(new Cost.Reserved(reserve, settling));
    }

    private Optional<Keep> keep(RuleLimit limit, Limit numbers) {
        if (maybe(2) || limit.cost().filter(Cost.Always.class::isInstance).isPresent()) {
            return Optional.empty();
        }
        long most = Math.min(Integer.MAX_VALUE - 1, numbers.capacity());
        return Optional.of(
                maybe(2) ? new Keep.Share(random.nextInt(101)) : new Keep.Permits(random.nextInt((int) most + 1)));
    }

    private List<By> by() {
        List<By> by = new ArrayList<>();
        for (String attribute : Set.of("ip", "user", "header.x-a", "json.name", "~", "5", "true")) {
            if (maybe(5)) {
                Optional<String> other = optional(() -> "other").filter(each -> maybe(2));
                by.add(new By(attribute, other));
            }
        }
        return by;
    }

    private Limit limit(String name) {
        Limit.Named named = Limit.named(name);
        return switch (random.nextInt(7)) {
            case 0 -> tokenBucket(named);
            case 1 -> leakyBucket(named);
            case 2 -> named.fixedWindow(permits(), window());
            case 3 -> named.fixedWindow(permits(), pick(Calendar.values()), zone());
            case 4 -> slidingWindow(named);
            case 5 -> named.slidingLog(Math.min(SlidingLog.MAX_LIMIT, permits()), window());
            default -> named.concurrency(Math.min(Concurrency.MAX_LIMIT, permits()), window());
        };
    }

    private TokenBucket tokenBucket(Limit.Named named) {
        TokenBucket bucket = named.tokenBucket(rate());
        bucket = maybe(2) ? bucket.withBurst(permits()) : bucket;
        return maybe(2) ? bucket.withMaxWait(window()) : bucket;
    }

    private LeakyBucket leakyBucket(Limit.Named named) {
        LeakyBucket bucket = named.leakyBucket(rate());
        bucket = maybe(2) ? bucket.withCapacity(Math.min(Limit.MAX_CAPACITY - 1, permits())) : bucket;
        return maybe(2) ? bucket.withMaxWait(window()) : bucket;
    }

    private SlidingWindow slidingWindow(Limit.Named named) {
        SlidingWindow sliding = named.slidingWindow(permits(), window());
        long most = Math.min(SlidingWindow.MAX_SLICES, sliding.windowMicros());
        sliding = maybe(2) ? sliding.withSlices(1 + random.nextInt((int) most)) : sliding;
        return maybe(2) ? sliding.asEstimate() : sliding;
    }

    private List<LimitOverride> overrides(List<RuleLimit> limits) {
        List<LimitOverride> overrides = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            int of = random.nextInt(limits.size());
            Map<String, Condition> when = Map.of();
            while (when.isEmpty()) {
                when = conditions();
            }
            RuleLimit limit = limits.get(of);
            Limit other = otherNumbers(limit.limit());
            boolean waits = other.maxWaitMicros() > 0
                    && limit.cost().filter(Cost.Always.class::isInstance).isPresent();
            Limit numbers = waits || maybe(4) ? limit.limit() : other;
            overrides.add(new LimitOverride(
                    when,
                    of,
                    numbers,
                    keep(limit, numbers),
                    optional(() -> Instant.ofEpochSecond(random.nextInt(), random.nextInt(2) * 123_000_000L))));
        }
        return overrides;
    }

    private Limit otherNumbers(Limit limit) {
        Limit.Named named = Limit.named(limit.name());
        if (limit instanceof TokenBucket) {
            return tokenBucket(named);
        } else if (limit instanceof LeakyBucket) {
            return leakyBucket(named);
        } else if (limit instanceof FixedWindow fixed) {
            return fixed.calendar() == null
                    ? named.fixedWindow(permits(), Duration.ofNanos(fixed.windowMicros() * 1_000))
                    : named.fixedWindow(permits(), fixed.calendar(), fixed.zone());
        } else if (limit instanceof SlidingWindow sliding) {
            return new SlidingWindow(sliding.name(), permits(), sliding.window(), sliding.slices(), sliding.weighted());
        } else if (limit instanceof SlidingLog log) {
            return named.slidingLog(Math.min(SlidingLog.MAX_LIMIT, permits()), log.window());
        }
        return named.concurrency(Math.min(Concurrency.MAX_LIMIT, permits()), window());
    }

    private Scope scope() {
        Set<String> methods = maybe(2) ? Set.of("GET", "M-SEARCH") : Set.of();
        Map<String, Condition> match = conditions();
        return new Scope(
                optional(() -> text(20)).orElse(null),
                maybe(2) ? PathPattern.of(maybe(2) ? "/a/{b}/**" : "/a.b/_-") : null,
                methods,
                match);
    }

    private Map<String, Condition> conditions() {
        Map<String, Condition> conditions = new HashMap<>();
        if (maybe(3)) {
            conditions.put("ip", Condition.parse("ip", List.of("10.0.0.0/8", "2001:db8::/32", "192.0.2.1")));
        }
        for (String attribute : List.of("user", "header.x-a", "null", "5")) {
            if (maybe(3)) {
                List<String> values = new ArrayList<>();
                for (int i = random.nextInt(3); i >= 0; i--) {
                    values.add(maybe(4) ? "" : text(6).replace("\\", "\\\\"));
                }
                conditions.put(attribute, Condition.parse(attribute, values));
            }
        }
        return conditions;
    }

    private Handling handling() {
        Mode mode = pick(Mode.values());
        Lease lease = new Lease(
                maybe(2) ? OptionalLong.of(1 + random.nextInt(1_000)) : OptionalLong.empty(),
                maybe(2) ? share() : 0.1,
                maybe(2) ? Duration.ofMillis(1 + random.nextInt(3_600_000)) : Duration.ofSeconds(1));
        return new Handling(
                mode,
                mode == Mode.LOCAL_DISTRIBUTED ? lease : Lease.DEFAULT,
                pick(FailurePolicy.values()),
                maybe(2) ? OptionalDouble.of(share()) : OptionalDouble.empty(),
                maybe(2) ? Duration.ofMillis(1 + random.nextInt(60_000)) : Duration.ofMillis(20),
                maybe(2) && mode != Mode.LOCAL ? OptionalDouble.of(1 + random.nextDouble()) : OptionalDouble.empty());
    }

    private RuleDescription about() {
        Map<String, String> labels = new HashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            labels.put(text(5), text(5));
        }
        Message both = new Message(Map.of("en", text(9), "zh", text(9)));
        return new RuleDescription(
                optional(() -> text(30)),
                optional(() -> text(9)),
                maybe(4),
                optional(() -> maybe(2) ? both : maybe(2) ? Message.of(text(30)) : new Message(Map.of("zh", text(3)))),
                labels);
    }

    private double share() {
        return maybe(5) ? 1 : maybe(5) ? 1e-7 : 1 - random.nextDouble();
    }

    private Rate rate() {
        Duration per = maybe(3)
                ? Duration.ofMillis(1 + random.nextInt(100_000))
                : pick(new Duration[] {
                    Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofHours(1), Duration.ofDays(1)
                });
        return new Rate(maybe(8) ? 0 : random.nextInt(1_000), per);
    }

    private Duration window() {
        return switch (random.nextInt(4)) {
            case 0 -> Duration.ofNanos(1_000L * (1 + random.nextInt(5_000)));
            case 1 -> Duration.ofMillis(1 + random.nextInt(100_000));
            case 2 -> Duration.ofDays(1 + random.nextInt(1_000));
            default -> Duration.ofMinutes(1 + random.nextInt(200));
        };
    }

    private ZoneId zone() {
        return ZoneId.of(pick(new String[] {"UTC", "Z", "Europe/Berlin", "+08:00", "Asia/Shanghai", "UTC+01:00"}));
    }

    private long permits() {
        return maybe(8) ? 0 : maybe(8) ? Limit.MAX_CAPACITY : random.nextInt(10_000);
    }

    /** Generates any text that a rule may have: not blank, no control characters. */
    private String text(int longest) {
        return word(1 + random.nextInt(longest), ANYTHING.replace("\u0085", "")) + "x";
    }

    private String word(int length, String letters) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append(letters.charAt(random.nextInt(letters.length())));
        }
        return word.toString();
    }

    private boolean maybe(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private <T> Optional<T> optional(Supplier<T> value) {
        return maybe(2) ? Optional.of(value.get()) : Optional.empty();
    }

    private <T> T pick(T[] all) {
        return all[random.nextInt(all.length)];
    }
}
