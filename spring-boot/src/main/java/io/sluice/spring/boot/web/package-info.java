/** Configures the filters that limit requests. */
@NullMarked
package io.sluice.spring.boot.web;

import org.jspecify.annotations.NullMarked;
