/** What every process that decides has: the shared store, rules from where they are kept, metrics. Knows no server and no framework. */
@NullMarked
package io.sluice.runtime;

import org.jspecify.annotations.NullMarked;
