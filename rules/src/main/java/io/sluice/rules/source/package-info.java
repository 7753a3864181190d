/** Rule sources: they hold the set in force and notify listeners of changes. */
@NullMarked
package io.sluice.rules.source;

import org.jspecify.annotations.NullMarked;
