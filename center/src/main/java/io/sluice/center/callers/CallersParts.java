package io.sluice.center.callers;

import io.sluice.center.adjust.AdjustmentBook;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The parts of a center that the API of refused callers uses.
 *
 * @param rules returns the rules in force, followed by the rules on trial
 * @param dropped returns the number of refusals that nodes could not report
 */
public record CallersParts(
        RefusedCallers callers,
        Questions questions,
        AdjustmentBook adjustments,
        Database database,
        CommandLog log,
        Clock clock,
        Supplier<List<RuleSet>> rules,
        LongSupplier dropped) {}
