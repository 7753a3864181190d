/** What a node needs to know to start: flags, files and their changes. */
@NullMarked
package io.sluice.node.config;

import org.jspecify.annotations.NullMarked;
