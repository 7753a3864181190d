package io.sluice.rules.reserve;

import io.sluice.core.spi.SettlementResult;

/**
 * The settlement of the reservation of one limit. Immutable.
 *
 * @param limit the reserved permits
 * @param actual the real figure
 * @param result the result, with the change of the count
 */
public record SettledLimit(ReservedLimit limit, long actual, SettlementResult result) {}
