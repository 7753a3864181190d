/**
 * What was really done with counts, as events for whoever checks it afterwards. Nobody hears of anything unless somebody asked
 * to: recording that is off costs nothing.
 */
@NullMarked
package io.sluice.core.history;

import org.jspecify.annotations.NullMarked;
