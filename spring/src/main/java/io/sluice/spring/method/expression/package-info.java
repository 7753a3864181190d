/** Expressions in annotations: they can only read the arguments, the caller, the request and the result of a call. */
@NullMarked
package io.sluice.spring.method.expression;

import org.jspecify.annotations.NullMarked;
