package io.sluice.rules.snapshot;

import io.sluice.core.limit.Limit;
import java.time.Instant;

/**
 * Other numbers for the one caller whose count has a certain key.
 *
 * @param limit the position of the limit in its rule
 * @param key the key of the count, as it is stored
 * @param numbers the limit with its numbers replaced
 * @param until when they expire
 */
public record KeyedNumbers(int limit, String key, Limit numbers, Instant until) {}
