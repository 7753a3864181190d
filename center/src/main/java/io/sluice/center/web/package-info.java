/** The HTTP API. */
@NullMarked
package io.sluice.center.web;

import org.jspecify.annotations.NullMarked;
