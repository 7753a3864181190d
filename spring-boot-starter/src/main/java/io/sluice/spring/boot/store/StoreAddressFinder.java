package io.sluice.spring.boot.store;

import java.util.Optional;

/** Knows of a Redis that the application has for purposes of its own. */
@FunctionalInterface
public interface StoreAddressFinder {

    Optional<StoreAddress> find();
}
