/**
 * The model of a rule: the requests that it matches, the number that it allows, and the place of the decision. Immutable
 * values.
 */
@NullMarked
package io.sluice.rules.model;

import org.jspecify.annotations.NullMarked;
