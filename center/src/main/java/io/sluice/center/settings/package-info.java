/** What a center is told at its start about its address and about signing in. */
@NullMarked
package io.sluice.center.settings;

import org.jspecify.annotations.NullMarked;
