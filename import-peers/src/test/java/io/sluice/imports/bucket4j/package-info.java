/** Imported rules beside bucket4j-spring-boot-starter. */
@NullMarked
package io.sluice.imports.bucket4j;

import org.jspecify.annotations.NullMarked;
