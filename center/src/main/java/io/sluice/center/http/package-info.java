/** Reading requests and writing problems. */
@NullMarked
package io.sluice.center.http;

import org.jspecify.annotations.NullMarked;
