/** The servers of services: which is next, and their health. */
@NullMarked
package io.sluice.node.gateway.upstream;

import org.jspecify.annotations.NullMarked;
