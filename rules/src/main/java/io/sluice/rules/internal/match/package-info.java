/** The index that finds the rules of a request. */
@NullMarked
package io.sluice.rules.internal.match;

import org.jspecify.annotations.NullMarked;
