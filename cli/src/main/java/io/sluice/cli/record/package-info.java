/** The verb that checks recordings. */
@NullMarked
package io.sluice.cli.record;

import org.jspecify.annotations.NullMarked;
