/** Requests that no well-behaved client would send, for tests of HTTP entry points. */
@NullMarked
package io.sluice.testkit.http;

import org.jspecify.annotations.NullMarked;
