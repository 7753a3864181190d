/** The alerts of a center, as its configuration says. */
@NullMarked
package io.sluice.cli.alert;

import org.jspecify.annotations.NullMarked;
