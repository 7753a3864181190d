/** Requests as no tidy client would write them, for tests of front doors. */
@NullMarked
package io.sluice.testkit.http;

import org.jspecify.annotations.NullMarked;
