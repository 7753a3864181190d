package io.sluice.center.series;

import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.function.Supplier;

/**
 * The parts of a center that the routes of series need.
 *
 * @param rules the rules in force and on trial, which decide who may see the figures of a rule
 */
public record SeriesSource(Series series, Supplier<List<RuleSet>> rules, Clock clock) {}
