package io.sluice.spring.boot;

import java.util.Optional;

/** Knows of a Redis that the application has for purposes of its own. */
@FunctionalInterface
interface StoreAddressFinder {

    Optional<StoreAddress> find();
}
