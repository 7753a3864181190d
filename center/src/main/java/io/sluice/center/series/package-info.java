/**
 * The traffic of the fleet over time: seconds in files, minutes and hours in packed rows of the database. Figures are kept for
 * each rule over all nodes and for each node over all rules, never for a rule on a node.
 */
@NullMarked
package io.sluice.center.series;

import org.jspecify.annotations.NullMarked;
