/** Where rules come from: sources that hold the set in force and tell when it changes. */
@NullMarked
package io.sluice.rules.source;

import org.jspecify.annotations.NullMarked;
