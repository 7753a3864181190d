/** Rules for descriptors: reads configuration files of the reference service, and finds the rule for a descriptor. */
@NullMarked
package io.sluice.envoy.descriptor;

import org.jspecify.annotations.NullMarked;
