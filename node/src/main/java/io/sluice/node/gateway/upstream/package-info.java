/** The servers behind services: which is next, and what is known of their health. */
@NullMarked
package io.sluice.node.gateway.upstream;

import org.jspecify.annotations.NullMarked;
