/**
 * Verdicts on a trial: promote, roll back, or hold. Pure functions of counts, without a clock or a database.
 *
 * <p>{@link io.sluice.center.verdict.Since} turns the reports of nodes into a {@link io.sluice.center.verdict.Sample}, and
 * {@link io.sluice.center.verdict.Judge} judges it.
 */
@NullMarked
package io.sluice.center.verdict;

import org.jspecify.annotations.NullMarked;
