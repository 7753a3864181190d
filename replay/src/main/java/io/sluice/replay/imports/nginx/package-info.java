/** Rules from configurations of nginx. */
@NullMarked
package io.sluice.replay.imports.nginx;

import org.jspecify.annotations.NullMarked;
