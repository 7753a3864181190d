/** Imports rules of Sentinel. */
@NullMarked
package io.sluice.replay.imports.sentinel;

import org.jspecify.annotations.NullMarked;
