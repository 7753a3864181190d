package io.sluice.rules.snapshot;

import io.sluice.core.limit.Limit;
import java.time.Instant;

/**
 * Other numbers for the caller with a certain keyed hash.
 *
 * @param limit the position of the limit in its rule
 * @param hash the keyed hash of the caller, 43 characters
 * @param numbers the limit with its numbers replaced
 * @param until the time at which the numbers expire
 */
public record KeyedNumbers(int limit, String hash, Limit numbers, Instant until) {}
