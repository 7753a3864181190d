/** The index that finds the rules for a request. */
@NullMarked
package io.sluice.rules.internal.match;

import org.jspecify.annotations.NullMarked;
