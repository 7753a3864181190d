package io.sluice.spring.boot;

import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreListener;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.Store;
import io.sluice.runtime.center.CenterDurableLine;
import io.sluice.runtime.participant.Engines;
import io.sluice.runtime.participant.Membership;
import io.sluice.runtime.participant.StoreOpening;
import io.sluice.spring.boot.store.SluiceStartException;
import io.sluice.spring.boot.store.StoreAddress;
import io.sluice.spring.boot.store.StoreAddressFinder;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The Redis that holds the counts.
 *
 * @param address the address of the Redis; empty if this process counts alone
 */
public record StoreChoice(Optional<StoreAddress> address) {

    static StoreChoice of(SluiceProperties.Redis redis, StoreAddressFinder other) {
        if (!redis.enabled()) {
            return new StoreChoice(Optional.empty());
        }
        String uri = redis.uri();
        if (uri != null && !uri.isBlank()) {
            return new StoreChoice(Optional.of(new StoreAddress(uri.strip(), "sluice.redis.uri")));
        }
        return new StoreChoice(other.find());
    }

    /**
     * Opens engines that are ready to decide. The store need not be connected yet.
     *
     * @param listener is notified of all calls to the store
     */
    Engines open(
            SluiceProperties properties,
            Membership membership,
            Supplier<RuleSet> rules,
            StoreListener listener,
            Clock clock) {
        String prefix = properties.redis().prefix();
        if (address.isPresent() && prefix.isBlank()) {
            throw new SluiceStartException(
                    "sluice.redis.prefix: empty (expected: a word such as rate_limit)",
                    "Set sluice.redis.prefix, or remove it to use the default rate_limit.");
        }
        StoreOpening opening = StoreOpening.begin(
                new StoreOpening.Address(address.map(StoreAddress::uri), prefix),
                Store::redis,
                // On the thread of the startup, whose class loader knows the application's libraries.
                Runnable::run,
                clock,
                listener,
                Optional.empty());
        try {
            return Engines.open(
                    opening,
                    rules,
                    properties.dataDir(),
                    membership.center().map(CenterDurableLine::new),
                    clock,
                    Optional.empty());
        } catch (IllegalArgumentException e) {
            throw address.orElseThrow().unreadable(e);
        }
    }
}
