/** Annotated methods: from annotations to claims on rules, and from rulings to calls. */
@NullMarked
package io.sluice.spring.method;

import org.jspecify.annotations.NullMarked;
