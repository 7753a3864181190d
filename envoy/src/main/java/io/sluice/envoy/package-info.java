/** The rate limit protocol of Envoy and the configuration format of its reference service, over the rules of Sluice. */
@NullMarked
package io.sluice.envoy;

import org.jspecify.annotations.NullMarked;
