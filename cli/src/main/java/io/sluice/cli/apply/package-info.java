/** Compares rule documents with a running center and applies them. */
@NullMarked
package io.sluice.cli.apply;

import org.jspecify.annotations.NullMarked;
