package io.sluice.node.record;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;

/**
 * A request that was decided, before it is described. Immutable.
 *
 * @param set the rules that were in force
 */
record RecordedRequest(long atMicros, Attributes request, Ruling.Settled ruling, RuleSet set) {}
