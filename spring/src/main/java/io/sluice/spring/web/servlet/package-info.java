/** Limits on requests to servlets. */
@NullMarked
package io.sluice.spring.web.servlet;

import org.jspecify.annotations.NullMarked;
