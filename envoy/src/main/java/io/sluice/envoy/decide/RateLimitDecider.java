package io.sluice.envoy.decide;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.sluice.envoy.descriptor.DescriptorTree;
import io.sluice.envoy.descriptor.DomainRules;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.NamedRule;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Origin;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests of Envoy's rate limit protocol by the rules in force: the rules for descriptors, and other rules that match
 * the attributes {@code domain} and {@code descriptor.<key>}. Never blocks; thread-safe.
 *
 * <p>A request with more descriptors or entries than can be decided in time is refused as a whole and charges nothing.
 */
public final class RateLimitDecider {

    /** A tree of at most this many rules is built in well under a millisecond. */
    private static final int QUICKLY_LAID_OUT = 1_000;

    private final Evaluator evaluator;
    private final JointEvaluator joint;
    private final JointEvaluator shedding;
    private final CountingMode counting;

    /** The tree of the rule set that was in force at the last request. */
    private volatile DescriptorTree tree = new DescriptorTree(RuleSet.none());

    private final AtomicBoolean layingOut = new AtomicBoolean();

    public RateLimitDecider(Evaluator evaluator, CountingMode counting) {
        this.evaluator = evaluator;
        this.joint = new JointEvaluator(evaluator.joint());
        this.shedding = new JointEvaluator(evaluator.jointWithoutStore());
        this.counting = counting;
    }

    /**
     * Decides about a request.
     *
     * @throws IllegalArgumentException if the request is invalid: an empty domain, no descriptors, or a limit without a unit
     */
    public CompletionStage<RateLimitResponse> decide(RateLimitRequest request) {
        return decide(request, Origin.UNKNOWN);
    }

    /**
     * Decides about a request with this origin.
     *
     * @throws IllegalArgumentException if the request is invalid
     */
    public CompletionStage<RateLimitResponse> decide(RateLimitRequest request, Origin origin) {
        return decide(request, origin, joint);
    }

    /**
     * Decides about a request immediately, without the shared store, because too many requests already wait for it. Each rule's
     * {@code on_failure} decides; an error would let the request pass regardless of the rules.
     *
     * @throws IllegalArgumentException if the request is invalid
     */
    public CompletionStage<RateLimitResponse> shed(RateLimitRequest request, Origin origin) {
        return decide(request, origin, shedding);
    }

    private CompletionStage<RateLimitResponse> decide(RateLimitRequest request, Origin origin, JointEvaluator by) {
        DescriptorRequest.check(request);
        DescriptorTree rules = rules();
        if (DescriptorRequest.isTooMuch(request)) {
            return by.evaluate(RuleSet.none(), List.of(tooMuch(rules, request, origin)))
                    .thenApply(told -> refused(request));
        }
        List<DescriptorMatch> found = found(rules, request);
        List<JointPart> parts = new ArrayList<>(found.size());
        for (int i = 0; i < found.size(); i++) {
            parts.add(part(rules.set(), request, origin, request.getDescriptors(i), found.get(i)));
        }
        return counting == CountingMode.TOGETHER
                ? by.evaluate(rules.set(), parts).thenApply(ruling -> answer(request, found, List.of(ruling)))
                : eachByItself(by, rules.set(), parts).thenApply(rulings -> answer(request, found, rulings));
    }

    /** Returns the tree of the rule set in force. While the tree of a large set is being built, returns the previous one. */
    @SuppressWarnings({"ReferenceEquality", "FutureReturnValueIgnored"}) // a rule set is created once and passed on
    private DescriptorTree rules() {
        RuleSet set = evaluator.rules();
        DescriptorTree known = tree;
        if (known.set() == set) {
            return known;
        }
        if (known.set().rules().isEmpty() || set.rules().size() <= QUICKLY_LAID_OUT) {
            known = new DescriptorTree(set);
            tree = known;
        } else if (layingOut.compareAndSet(false, true)) {
            CompletableFuture.runAsync(() -> tree = new DescriptorTree(set))
                    .whenComplete((done, failure) -> layingOut.set(false));
        }
        return known;
    }

    private static List<DescriptorMatch> found(DescriptorTree rules, RateLimitRequest request) {
        List<DescriptorMatch> all = new ArrayList<>(request.getDescriptorsCount());
        Set<String> replaced = Set.of();
        for (RateLimitDescriptor descriptor : request.getDescriptorsList()) {
            DescriptorMatch found = found(rules, request.getDomain(), descriptor);
            if (!found.replaces().isEmpty()) {
                replaced = replaced.isEmpty() ? new HashSet<>() : replaced;
                replaced.addAll(found.replaces());
            }
            all.add(found);
        }
        for (int i = 0; !replaced.isEmpty() && i < all.size(); i++) {
            if (all.get(i).isLimited()
                    && all.get(i).name().filter(replaced::contains).isPresent()) {
                all.set(i, DescriptorMatch.NOTHING);
            }
        }
        return all;
    }

    private static DescriptorMatch found(DescriptorTree rules, String domain, RateLimitDescriptor descriptor) {
        if (descriptor.hasLimit()) {
            RequestLimit.unit(descriptor);
            return rules.knows(domain) ? RequestLimit.of(domain, descriptor) : DescriptorMatch.NOTHING;
        }
        Rule rule = rules.find(domain, descriptor);
        return rule == null ? DescriptorMatch.NOTHING : new DescriptorMatch(rule, null);
    }

    private static JointPart part(
            RuleSet set,
            RateLimitRequest request,
            Origin origin,
            RateLimitDescriptor descriptor,
            DescriptorMatch found) {
        Rule rule = found.rule();
        boolean needed = set.hasScopes() || (rule != null && needsAttributes(rule));
        Attributes attributes =
                needed ? DescriptorRequest.attributes(request.getDomain(), descriptor) : DescriptorRequest.NOTHING;
        return new JointPart(attributes.from(origin), DescriptorRequest.permits(request, descriptor), found.named());
    }

    private static boolean needsAttributes(Rule rule) {
        for (RuleLimit limit : rule.limits()) {
            if (!limit.by().isEmpty() || limit.cost().isPresent()) {
                return true;
            }
        }
        return false;
    }

    /** Decides one descriptor after the other, so that two descriptors with the same count add up. */
    private static CompletionStage<List<JointRuling>> eachByItself(
            JointEvaluator by, RuleSet set, List<JointPart> parts) {
        CompletionStage<List<JointRuling>> all = CompletableFuture.completedFuture(new ArrayList<>(parts.size()));
        for (JointPart part : parts) {
            all = all.thenCompose(
                    rulings -> by.evaluateCountingRefused(set, part).thenApply(ruling -> {
                        rulings.add(ruling);
                        return rulings;
                    }));
        }
        return all;
    }

    private static RateLimitResponse answer(
            RateLimitRequest request, List<DescriptorMatch> found, List<JointRuling> rulings) {
        RateLimitResponse.Builder response = RateLimitResponse.newBuilder();
        List<Map<String, @Nullable Object>> passed = new ArrayList<>(0);
        boolean metadata = false;
        boolean quota = false;
        boolean left = false;
        boolean allowed = true;
        int at = 0;
        for (JointRuling joint : rulings) {
            for (JointRuling.PartRuling part : joint.parts()) {
                DescriptorMatch rule = found.get(at++);
                DescriptorStatus status = StatusWriter.of(rule, part, joint.atMicros());
                response.addStatuses(status);
                allowed &= part.allowed();
                boolean counts = rule.isQuota() && part.byRule() == null;
                quota |= counts;
                left |= counts && part.usedUp() == null;
                metadata |= !rule.metadata().isEmpty();
                if (status.getCode() == Code.OK && !rule.metadata().isEmpty()) {
                    passed.add(rule.metadata());
                }
            }
        }
        if (quota || metadata) {
            response.setDynamicMetadata(AnswerMetadata.of(request, passed));
        }
        boolean usedUp = quota && !left;
        return response.setOverallCode(allowed && !usedUp ? Code.OK : Code.OVER_LIMIT)
                .build();
    }

    /** Returns a part that is refused without checking any limit. */
    private static JointPart tooMuch(DescriptorTree rules, RateLimitRequest request, Origin origin) {
        Rule rule = DomainRules.tooMuch(rules, request.getDomain());
        return new JointPart(
                DescriptorRequest.NOTHING.from(origin),
                DescriptorRequest.looks(request) ? 0 : 1,
                List.of(new NamedRule(rule, null)));
    }

    private static RateLimitResponse refused(RateLimitRequest request) {
        RateLimitResponse.Builder response = RateLimitResponse.newBuilder().setOverallCode(Code.OVER_LIMIT);
        for (int i = 0; i < request.getDescriptorsCount(); i++) {
            response.addStatuses(StatusWriter.REFUSED);
        }
        return response.build();
    }
}
