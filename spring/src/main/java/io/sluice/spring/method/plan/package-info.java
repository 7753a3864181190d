/** The limits of methods: their annotations are read and checked once. */
@NullMarked
package io.sluice.spring.method.plan;

import org.jspecify.annotations.NullMarked;
