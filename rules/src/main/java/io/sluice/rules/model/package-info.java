/** The model of a rule: which requests it matches, how many it allows, and where that is decided. Immutable values. */
@NullMarked
package io.sluice.rules.model;

import org.jspecify.annotations.NullMarked;
