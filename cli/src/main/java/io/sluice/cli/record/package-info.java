/** The verb that judges recordings. */
@NullMarked
package io.sluice.cli.record;

import org.jspecify.annotations.NullMarked;
