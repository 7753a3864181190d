package io.sluice.spring.boot.store;

import java.util.Optional;

/** Finds the Redis that the application already uses for its own purposes. */
@FunctionalInterface
public interface StoreAddressFinder {

    Optional<StoreAddress> find();
}
