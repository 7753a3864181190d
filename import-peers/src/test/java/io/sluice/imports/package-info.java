/** Imported rules beside applications with the original limiters. */
@NullMarked
package io.sluice.imports;

import org.jspecify.annotations.NullMarked;
