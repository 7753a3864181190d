package io.sluice.envoy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.sluice.rules.Attributes;
import io.sluice.rules.Evaluator;
import io.sluice.rules.JointRuling;
import io.sluice.rules.JointRuling.Standing;
import io.sluice.rules.Part;
import io.sluice.rules.Rule;
import io.sluice.rules.RuleSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Answers requests of Envoy's rate limit protocol by the rules in force: those for descriptors, and any others that the attributes
 * {@code domain} and {@code descriptor.<key>} match. Never blocks; safe for use by many threads.
 *
 * <p>A request with more descriptors or entries than can be decided in time is refused as a whole and charges nothing.
 */
public final class RateLimitDecider {

    /** In well under a millisecond. */
    private static final int QUICKLY_LAID_OUT = 1_000;

    private final Evaluator evaluator;
    private final Counting counting;

    /** Of the set in force when somebody last asked. */
    private volatile MatchTree tree = new MatchTree(RuleSet.none());

    private final AtomicBoolean layingOut = new AtomicBoolean();

    public RateLimitDecider(Evaluator evaluator, Counting counting) {
        this.evaluator = evaluator;
        this.counting = counting;
    }

    /**
     * Decides.
     *
     * @throws IllegalArgumentException if it is no request: an empty domain, no descriptors, a limit without a unit
     */
    public CompletionStage<RateLimitResponse> decide(RateLimitRequest request) {
        Asked.check(request);
        MatchTree rules = rules();
        if (Asked.isTooMuch(request)) {
            return evaluator
                    .evaluateTogether(RuleSet.none(), List.of(tooMuch(rules, request)))
                    .thenApply(told -> refused(request));
        }
        List<Found> found = found(rules, request);
        List<Part> parts = new ArrayList<>(found.size());
        for (int i = 0; i < found.size(); i++) {
            parts.add(part(rules.set(), request, request.getDescriptors(i), found.get(i)));
        }
        return counting == Counting.TOGETHER
                ? evaluator
                        .evaluateTogether(rules.set(), parts)
                        .thenApply(ruling -> answer(request, found, List.of(ruling)))
                : eachByItself(rules.set(), parts).thenApply(rulings -> answer(request, found, rulings));
    }

    /** Of the set in force; while a large one is being laid out, of the one before it. */
    @SuppressWarnings({"ReferenceEquality", "FutureReturnValueIgnored"}) // a set is made once and handed on
    private MatchTree rules() {
        RuleSet set = evaluator.rules();
        MatchTree known = tree;
        if (known.set() == set) {
            return known;
        }
        if (known.set().rules().isEmpty() || set.rules().size() <= QUICKLY_LAID_OUT) {
            known = new MatchTree(set);
            tree = known;
        } else if (layingOut.compareAndSet(false, true)) {
            CompletableFuture.runAsync(() -> tree = new MatchTree(set))
                    .whenComplete((done, failure) -> layingOut.set(false));
        }
        return known;
    }

    private static List<Found> found(MatchTree rules, RateLimitRequest request) {
        List<Found> all = new ArrayList<>(request.getDescriptorsCount());
        Set<String> replaced = Set.of();
        for (RateLimitDescriptor descriptor : request.getDescriptorsList()) {
            Found found = found(rules, request.getDomain(), descriptor);
            if (!found.replaces().isEmpty()) {
                replaced = replaced.isEmpty() ? new HashSet<>() : replaced;
                replaced.addAll(found.replaces());
            }
            all.add(found);
        }
        for (int i = 0; !replaced.isEmpty() && i < all.size(); i++) {
            if (all.get(i).isLimited()
                    && all.get(i).name().filter(replaced::contains).isPresent()) {
                all.set(i, Found.NOTHING);
            }
        }
        return all;
    }

    private static Found found(MatchTree rules, String domain, RateLimitDescriptor descriptor) {
        if (descriptor.hasLimit()) {
            RequestLimit.unit(descriptor);
            return rules.knows(domain) ? RequestLimit.of(domain, descriptor) : Found.NOTHING;
        }
        Rule rule = rules.find(domain, descriptor);
        return rule == null ? Found.NOTHING : new Found(rule, null);
    }

    private static Part part(RuleSet set, RateLimitRequest request, RateLimitDescriptor descriptor, Found found) {
        Rule rule = found.rule();
        boolean needed = set.hasScopes()
                || (rule != null
                        && !rule.limits().isEmpty()
                        && !rule.limits().get(0).by().isEmpty());
        Attributes attributes = needed ? Asked.attributes(request.getDomain(), descriptor) : Asked.NOTHING;
        return new Part(attributes, Asked.permits(request, descriptor), found.named());
    }

    /** One after the other, so that two descriptors of one count add up. */
    private CompletionStage<List<JointRuling>> eachByItself(RuleSet set, List<Part> parts) {
        CompletionStage<List<JointRuling>> all = CompletableFuture.completedFuture(new ArrayList<>(parts.size()));
        for (Part part : parts) {
            all = all.thenCompose(
                    rulings -> evaluator.evaluateCountingRefused(set, part).thenApply(ruling -> {
                        rulings.add(ruling);
                        return rulings;
                    }));
        }
        return all;
    }

    private static RateLimitResponse answer(RateLimitRequest request, List<Found> found, List<JointRuling> rulings) {
        RateLimitResponse.Builder response = RateLimitResponse.newBuilder();
        List<Integer> violations = new ArrayList<>(0);
        boolean quota = false;
        boolean allowed = true;
        int at = 0;
        for (JointRuling joint : rulings) {
            for (JointRuling.PartRuling part : joint.parts()) {
                Found rule = found.get(at);
                DescriptorStatus status = Statuses.of(rule, part, joint.atMicros());
                response.addStatuses(status);
                allowed &= status.getCode() == Code.OK;
                quota |= rule.isQuota();
                if (rule.isQuota() && isUsedUp(rule, part)) {
                    violations.add(at);
                }
                at++;
            }
        }
        if (quota) {
            response.setDynamicMetadata(QuotaMetadata.of(request, violations));
        }
        return response.setOverallCode(allowed ? Code.OK : Code.OVER_LIMIT).build();
    }

    private static boolean isUsedUp(Found found, JointRuling.PartRuling part) {
        for (Standing standing : part.limits()) {
            if (!standing.fits() && standing.rule().equals(found.rule())) {
                return true;
            }
        }
        return false;
    }

    /** One that is refused without a look at any limit. */
    private static Part tooMuch(MatchTree rules, RateLimitRequest request) {
        Rule rule = DomainRules.tooMuch(rules, request.getDomain());
        return new Part(Asked.NOTHING, Asked.looks(request) ? 0 : 1, List.of(new Part.Named(rule, null)));
    }

    private static RateLimitResponse refused(RateLimitRequest request) {
        RateLimitResponse.Builder response = RateLimitResponse.newBuilder().setOverallCode(Code.OVER_LIMIT);
        for (int i = 0; i < request.getDescriptorsCount(); i++) {
            response.addStatuses(Statuses.REFUSED);
        }
        return response.build();
    }
}
