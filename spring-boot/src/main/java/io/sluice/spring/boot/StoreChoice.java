package io.sluice.spring.boot;

import io.sluice.spring.boot.store.StoreAddress;
import io.sluice.spring.boot.store.StoreAddressFinder;
import java.util.Optional;

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
}
