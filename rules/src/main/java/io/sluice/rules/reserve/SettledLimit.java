package io.sluice.rules.reserve;

import io.sluice.core.spi.SettlementResult;

/**
 * What became of the reservation of one limit. Immutable.
 *
 * @param limit what was reserved
 * @param actual the real figure
 * @param result whether and how the count was changed
 */
public record SettledLimit(ReservedLimit limit, long actual, SettlementResult result) {}
