/**
 * The actual operations on counts, as events that can be checked afterwards. Events are recorded only if recording is turned
 * on; otherwise it costs nothing.
 */
@NullMarked
package io.sluice.core.history;

import org.jspecify.annotations.NullMarked;
