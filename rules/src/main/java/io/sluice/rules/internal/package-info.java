/** How rule documents are read, matched and counted. */
@NullMarked
package io.sluice.rules.internal;

import org.jspecify.annotations.NullMarked;
