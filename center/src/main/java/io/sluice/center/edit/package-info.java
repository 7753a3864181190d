/** Edits of rules and their collisions. Pure functions. */
@NullMarked
package io.sluice.center.edit;

import org.jspecify.annotations.NullMarked;
