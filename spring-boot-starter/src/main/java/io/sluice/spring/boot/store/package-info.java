/** Which Redis holds the counts of an application. */
@NullMarked
package io.sluice.spring.boot.store;

import org.jspecify.annotations.NullMarked;
