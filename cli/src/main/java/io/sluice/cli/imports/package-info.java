/** The command {@code import}. */
@NullMarked
package io.sluice.cli.imports;

import org.jspecify.annotations.NullMarked;
