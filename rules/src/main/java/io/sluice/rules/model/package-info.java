/** What a rule is: which requests, how much of them, and how that is decided. Immutable values. */
@NullMarked
package io.sluice.rules.model;

import org.jspecify.annotations.NullMarked;
