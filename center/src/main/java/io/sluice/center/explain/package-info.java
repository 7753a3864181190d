/**
 * Explanations of how the rules in force decide a request that a person describes or pastes as a curl command. The request is neither
 * stored nor logged.
 */
@NullMarked
package io.sluice.center.explain;

import org.jspecify.annotations.NullMarked;
