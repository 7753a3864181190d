/** Rules for descriptors: the configuration files of the reference service, and the tree that finds the rule of a descriptor. */
@NullMarked
package io.sluice.envoy.descriptor;

import org.jspecify.annotations.NullMarked;
