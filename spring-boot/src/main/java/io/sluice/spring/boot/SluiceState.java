package io.sluice.spring.boot;

import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleSource;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.ShownRules;
import io.sluice.runtime.durable.DurableQuotas;
import io.sluice.runtime.participant.Engines;
import io.sluice.runtime.participant.Membership;
import io.sluice.runtime.participant.Participant;
import io.sluice.spring.boot.store.StoreAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The state of the application's limiter, for the health indicator and the endpoint. Thread-safe. */
public final class SluiceState {

    private final Engines engines;
    private final StoreChoice store;
    private final RuleSource source;
    private final @Nullable OpenRules opened;
    private final Membership membership;

    SluiceState(Participant participant, StoreChoice store, RuleSource source, @Nullable OpenRules opened) {
        this.engines = participant.engines();
        this.membership = participant.membership();
        this.store = store;
        this.source = source;
        this.opened = opened;
    }

    String engine() {
        return engines.watch().exists() ? "redis" : "local";
    }

    Optional<String> store() {
        return store.address().map(StoreAddress::shown);
    }

    RuleSet rules() {
        return source.latest();
    }

    /** Returns the information about adjustments. */
    Map<String, Object> adjustments() {
        return ShownRules.adjustments(source);
    }

    boolean hasKeptRules() {
        return opened != null && opened.isKept();
    }

    /** Returns the reason why the shared store is unavailable or unreliable, or null if it works. */
    @Nullable
    String degraded() {
        String away = engines.watch().degraded();
        return away != null || engines.watch().findings().isEmpty() ? away : "redis-settings";
    }

    Optional<Instant> degradedSince() {
        return engines.watch().awaySince();
    }

    /** Returns the problems of the store, the rules and the center that do not stop decisions, as sentences. */
    List<String> findings() {
        List<String> findings = new ArrayList<>(engines.watch().findings());
        DurableQuotas durable = engines.durable();
        if (durable != null) {
            findings.addAll(durable.findings());
        }
        if (opened != null) {
            findings.addAll(opened.findings());
        }
        if (!source.refused().isEmpty() && (opened == null || opened.findings().isEmpty())) {
            findings.add("the newest rules were refused and are not in force: "
                    + source.refused().get(0));
        }
        findings.addAll(membership.findings());
        return findings;
    }

    /** Returns whether the store is unavailable and every rule that counts in it is {@code on_failure: closed}. */
    boolean isClosed() {
        if (engines.watch().degraded() == null) {
            return false;
        }
        List<Rule> shared = rules().rules().stream()
                .filter(rule -> rule.enabled()
                        && rule.action() == Action.LIMIT
                        && rule.handling().mode() != Mode.LOCAL)
                .toList();
        return !shared.isEmpty()
                && shared.stream().allMatch(rule -> rule.handling().onFailure() == FailurePolicy.CLOSED);
    }
}
