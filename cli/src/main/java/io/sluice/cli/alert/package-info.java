/** The alert destinations in the configuration of a center. */
@NullMarked
package io.sluice.cli.alert;

import org.jspecify.annotations.NullMarked;
