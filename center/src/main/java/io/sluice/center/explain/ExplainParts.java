package io.sluice.center.explain;

import io.sluice.center.callers.Questions;
import io.sluice.center.fleet.FleetRules;
import io.sluice.core.time.Clock;
import java.util.function.Supplier;

/**
 * The parts of a center that explanations use.
 *
 * @param rules returns the rules, overrides and switches that decide in the fleet
 */
public record ExplainParts(Questions questions, Supplier<FleetRules> rules, Clock clock) {}
