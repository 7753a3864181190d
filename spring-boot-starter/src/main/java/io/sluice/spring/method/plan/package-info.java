/** The annotations of a method, read and checked once. */
@NullMarked
package io.sluice.spring.method.plan;

import org.jspecify.annotations.NullMarked;
