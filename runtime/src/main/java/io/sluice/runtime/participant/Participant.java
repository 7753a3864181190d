package io.sluice.runtime.participant;

import io.sluice.core.time.Clock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Explanation;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.MemberReports;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.RateLimitMetrics;
import io.sluice.runtime.SharedCallerKey;
import io.sluice.runtime.Store;
import io.sluice.runtime.Tallies;
import io.sluice.runtime.caller.RefusedCallers;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.RulingCounts;
import io.sluice.runtime.decisions.DecisionRecorder;
import io.sluice.runtime.decisions.DecisionSettings;
import io.sluice.runtime.durable.DurableQuotas;
import io.sluice.runtime.erasure.ErasableStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that decides by rules and takes part in a fleet: a node, or an application with the starter. Thread-safe.
 *
 * <p>Its parts start in this order:
 *
 * <ol>
 *   <li>{@link #open}: the engines, then the receivers of rulings: counts for the center, refused callers, the decision log.
 *   <li>{@link #warmUp}: trial decisions in the shared store, and the figures of its servers.
 *   <li>{@link #start}: the common key of callers, and durable limits.
 *   <li>{@link #join}: erasures, answers to the center's questions, and last the reports.
 * </ol>
 *
 * <p>{@link #close} waits for the last settlements and then stops the parts in the reverse order: first the reports, which send the data
 * that the center lacks, and last the engines, which return leased permits. The rules and the recording outlive the participant, because
 * the engines use both until they are closed.
 */
public final class Participant implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Participant.class);

    /** The maximum time that closing waits for settlements, because the store may be slow or unavailable. */
    private static final Duration SETTLEMENTS_MAY_TAKE = Duration.ofSeconds(5);

    private final Membership membership;
    private final Engines engines;
    private final OpenRules rules;
    private final CallerKeys keys;
    private final Optional<Recording> recording;
    private final Clock clock;
    private final Closing parts = new Closing();
    private final Tallies tallies = new Tallies();
    private final Optional<RulingCounts> counts;
    private final Optional<RefusedCallers> refused;
    private final Optional<DecisionRecorder> decisions;
    private volatile @Nullable Evaluator evaluator;
    private volatile Duration settlementsMayTake = SETTLEMENTS_MAY_TAKE;

    /**
     * The settings that turn callers into keys.
     *
     * @param own the key that this process agrees on with others; empty if a key is configured
     */
    public record CallerKeys(KeySettings settings, Optional<SharedCallerKey> own) {}

    private Participant(
            Membership membership,
            Engines engines,
            OpenRules rules,
            CallerKeys keys,
            DecisionSettings log,
            Optional<Recording> recording,
            Clock clock) {
        this.membership = membership;
        this.engines = parts.add(engines);
        this.rules = rules;
        this.keys = keys;
        this.recording = recording;
        this.clock = clock;
        try {
            tallies.watch(rules.source());
            Supplier<RuleSet> inForce = rules.source()::latest;
            this.counts = membership.outbox().map(outbox -> parts.add(new RulingCounts(outbox, clock)));
            counts.ifPresent(each -> {
                membership.add(each);
                each.start();
            });
            this.refused = membership
                    .outbox()
                    .filter(outbox -> outbox.takes(Kind.CALLERS))
                    .map(outbox -> parts.add(new RefusedCallers(outbox, inForce, keys.settings(), clock)));
            refused.ifPresent(each -> {
                membership.add(each);
                each.start();
            });
            this.decisions = DecisionRecorder.open(log, membership.outbox(), inForce, keys.settings(), clock)
                    .map(parts::add);
            decisions.ifPresent(membership::add);
            keys.own().ifPresent(parts::add);
            parts.add(membership);
        } catch (RuntimeException | Error e) {
            parts.close();
            throw e;
        }
    }

    /**
     * Opens the parts that receive rulings. If one fails to open, all parts that were opened before are closed, and the engines with them.
     *
     * @param rules the rules; the participant does not close them
     * @param log the settings of the decision log
     * @throws IllegalArgumentException if the directory of the decision log cannot be used
     */
    public static Participant open(
            Membership membership,
            Engines engines,
            OpenRules rules,
            CallerKeys keys,
            DecisionSettings log,
            Optional<Recording> recording,
            Clock clock) {
        return new Participant(membership, engines, rules, keys, log, recording, clock);
    }

    public Membership membership() {
        return membership;
    }

    public Engines engines() {
        return engines;
    }

    public OpenRules rules() {
        return rules;
    }

    /** Returns the settings that turn callers into keys. */
    public KeySettings keys() {
        return keys.settings();
    }

    /** Returns the counts of decisions for the reports. */
    public Tallies tallies() {
        return tallies;
    }

    /** Returns the receivers of refused callers; empty if there is no center that asks for them. */
    public Optional<RefusedCallers> refused() {
        return refused;
    }

    /** Returns the recorder of the decision log; empty if there is neither a place for it nor a center. */
    public Optional<DecisionRecorder> decisions() {
        return decisions;
    }

    /** Returns the parts that must receive every ruling. */
    public List<RulingListener> listeners() {
        List<RulingListener> all = new ArrayList<>(List.of(tallies));
        counts.ifPresent(all::add);
        refused.ifPresent(all::add);
        decisions.ifPresent(all::add);
        recording.map(each -> each.requests(rules.source()::latest)).ifPresent(all::add);
        return all;
    }

    /**
     * Creates the evaluator. Closing waits for its settlements.
     *
     * @param listener receives every ruling; must notify {@link #listeners}
     */
    public Evaluator evaluator(RulingListener listener) {
        Evaluator made = new Evaluator(
                rules.source()::latest,
                engines.local(),
                engines.shared(),
                keys.settings(),
                clock,
                listener,
                membership::liveNodes);
        evaluator = made;
        return made;
    }

    /** Adds the metrics of all parts but the figures of the store's servers. The caller must keep the participant reachable. */
    public void measure(RateLimitMetrics metrics) {
        metrics.watch(rules.source(), engines.counts(), engines.watch());
        membership.witness().ifPresent(metrics::watch);
        decisions.ifPresent(metrics::watch);
        DurableQuotas durable = engines.durable();
        if (durable != null) {
            metrics.watch(durable);
        }
    }

    /** Lets the shared store make trial decisions, for at most a second if it is unavailable. */
    public void warmUp() {
        engines.warmUp();
    }

    /**
     * Starts to agree on a key for callers with all processes that share the store, and to keep durable limits. Returns after the first
     * check of the durable limits. The future completes after the first attempt to agree on the key, or after a second.
     */
    public CompletableFuture<Boolean> start() {
        Store store = engines.store();
        CompletableFuture<Boolean> agreed = store == null || keys.own().isEmpty()
                ? CompletableFuture.completedFuture(false)
                : keys.own().get().agree(store, clock).completeOnTimeout(false, 1, TimeUnit.SECONDS);
        DurableQuotas durable = engines.durable();
        if (durable != null) {
            rules.source().listen(durable.rules());
            durable.start().join();
        }
        return agreed;
    }

    /**
     * Starts to perform the center's orders to erase, to answer its questions, and to report.
     *
     * @param name the name of the process for people
     * @param explaining explains requests
     * @param json writes an explanation as {@code POST /v1/explain} does
     * @param findings returns the problems of the process, as sentences
     * @param more further stores from which erasures remove callers
     */
    public void join(
            String name,
            Evaluator explaining,
            Function<Explanation, Optional<String>> json,
            Supplier<List<String>> findings,
            List<ErasableStore> more) {
        Supplier<RuleSet> inForce = rules.source()::latest;
        membership.questions().over(refused, keys.settings(), inForce, request -> explaining.explain(request, 1), json);
        recording.ifPresent(membership::excerpt);
        membership.erasures().over(inForce, keys.settings(), erasable(more));
        membership.report(MemberReports.of(
                membership.id(), membership.kind(), name, rules, engines.watch(), findings, tallies, clock));
    }

    private List<ErasableStore> erasable(List<ErasableStore> more) {
        List<ErasableStore> all = new ArrayList<>(engines.erasable());
        all.addAll(more);
        refused.ifPresent(all::add);
        decisions.flatMap(DecisionRecorder::erasable).ifPresent(all::add);
        recording.ifPresent(all::add);
        return all;
    }

    /** Sets how long closing waits for settlements. */
    public void settlementsMayTake(Duration atMost) {
        settlementsMayTake = atMost;
    }

    @Override
    public void close() {
        awaitSettlements();
        parts.close();
    }

    /** The last requests settle when they end. Without waiting for them, their reservations would stay charged. */
    private void awaitSettlements() {
        Evaluator opened = evaluator;
        if (opened == null) {
            return;
        }
        try {
            opened.settlementsUnderWay().get(settlementsMayTake.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("the shared store did not settle the last reservations in time; what they reserved may stand");
        }
    }
}
