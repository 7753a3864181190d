/** The configuration of a node: settings, files and their changes. */
@NullMarked
package io.sluice.node.config;

import org.jspecify.annotations.NullMarked;
