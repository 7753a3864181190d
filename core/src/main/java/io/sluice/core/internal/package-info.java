/** Argument checks that several packages of this module share. */
@NullMarked
package io.sluice.core.internal;

import org.jspecify.annotations.NullMarked;
