/** Rules from configurations of Kong, APISIX and Envoy. */
@NullMarked
package io.sluice.replay.imports.gateway;

import org.jspecify.annotations.NullMarked;
